"""Attack a model with planted records and with the names of its training text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import zip_longest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.model_attacks.canaries import Canary, invent_names
from sage_rag.eval.model_attacks.extraction import Extraction, drawn_prompts, extract, openings
from sage_rag.eval.model_attacks.key_recovery import KeyRecovery, recover_keys
from sage_rag.eval.model_attacks.membership_inference import (
    MembershipInference,
    infer_membership,
    passages,
)
from sage_rag.eval.model_attacks.name_reconstruction import (
    NameReconstruction,
    reconstruct_names,
    spells,
)
from sage_rag.eval.model_attacks.results import GroupResult, ModelAttackReport
from sage_rag.eval.model_attacks.sentences import (
    NamedSentence,
    canary_sentences,
    named_sentences,
    names_of,
)
from sage_rag.eval.model_attacks.suffix_array import WordSuffixArray
from sage_rag.eval.model_attacks.target import TargetModel
from sage_rag.eval.model_attacks.true_prefix import SAMPLES, TruePrefix, continue_prefixes
from sage_rag.privacy.protocols import Recognizer

TRAINING = "training text"
HELD_OUT = "held-out text"
_FEWEST_CANDIDATES = 2
"""A name is always the first of itself alone."""

Report = Callable[[str], None]
"""Receives the name of each step before it begins."""


class AttackName(StrEnum):
    """One of the attacks."""

    NAMES = "names"
    PREFIX = "prefix"
    EXTRACTION = "extraction"
    MEMBERSHIP = "membership"
    KEYS = "keys"


@dataclass(frozen=True, slots=True)
class AttackSettings:
    """How much is attacked, and with which attacks.

    `sentences`: sentences of each group; the paper has 1,000. `candidates`: names for a planted
    sentence. `samples`: continuations of each sentence. `prompts`: prompts of each group; the paper
    has 100,000. `passages`: passages of each text for membership. `key_trials`: attacks for each
    point of the curves of key recovery.
    """

    attacks: tuple[AttackName, ...] = tuple(AttackName)
    seed: int = 0
    sentences: int = 100
    candidates: int = 1000
    samples: int = SAMPLES
    prompts: int = 100
    passages: int = 500
    key_trials: int = 20


@dataclass(frozen=True)
class AttackTexts:
    """What the attacks search for and compare with, all in plain text.

    `training`: what the model was trained on, before any encryption. `held_out`: texts of its kind
    that it has not read. `canaries`: the planted records, with those that were not planted.
    """

    training: Sequence[str] = field(repr=False)
    held_out: Sequence[str] = field(repr=False)
    canaries: Sequence[Canary] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        """Check that the canaries are in the texts as often as they say.

        Raises:
            InputError: when they are not, a text is missing, or a held-out text was read.
        """
        for name, texts in ((TRAINING, self.training), (HELD_OUT, self.held_out)):
            if not any(text.strip() for text in texts):
                raise InputError(f"the {name} is empty")
        for number, canary in enumerate(self.canaries, start=1):
            found = sum(text.count(canary.text) for text in self.training)
            if found != canary.frequency:
                raise InputError(
                    f"canary {number} is in the training text {found} times, not "
                    f"{canary.frequency} times as it says",
                    hint="give the training text that the canaries were planted in",
                )
            if any(canary.text in text for text in self.held_out):
                raise InputError(f"canary {number} is in the held-out text")
        known = set(self.training)
        if read := sum(text in known for text in self.held_out if text.strip()):
            raise InputError(
                f"{read} of {len(self.held_out)} held-out texts are in the training text",
                hint="name texts that the model has not read",
            )

    @cached_property
    def unplanted(self) -> Sequence[str]:
        """The training text without the planted records, which have groups of their own."""
        texts = list(self.training)
        for record in (canary.text for canary in self.canaries if canary.frequency):
            texts = [t.replace(f"\n\n{record}", "").replace(record, "") for t in texts]
        return texts

    @cached_property
    def suffix_array(self) -> WordSuffixArray:
        """The suffix array of the training text."""
        return WordSuffixArray(self.training)

    @cached_property
    def by_frequency(self) -> Mapping[int, Sequence[Canary]]:
        """The canaries by how often they were planted, most often first."""
        frequencies = sorted({canary.frequency for canary in self.canaries}, reverse=True)
        return {f: [c for c in self.canaries if c.frequency == f] for f in frequencies}


def attack_model(
    name: str,
    model: TargetModel | None,
    texts: AttackTexts,
    settings: AttackSettings,
    recognizer: Recognizer,
    report: Report = lambda _: None,
) -> ModelAttackReport:
    """Run the attacks; `name` is the model's name in the report. `KEYS` alone needs no model.

    The same model, texts and settings give the same figures.

    Raises:
        InputError: when texts or model do not allow an attack.
    """
    chosen = set(settings.attacks)
    if model is None:
        if chosen != {AttackName.KEYS}:
            raise InputError("only the attack `keys` needs no model")
        recovered = _recovered_keys(texts, settings, report)
        return ModelAttackReport(model=name, seed=settings.seed, keys=recovered)
    run = _Run(model, texts, settings, recognizer, report)
    run.check()
    # First, since it refuses short texts.
    keys = _recovered_keys(texts, settings, report) if AttackName.KEYS in chosen else None
    return ModelAttackReport(
        model=name,
        seed=settings.seed,
        names=tuple(run.names()) if AttackName.NAMES in chosen else (),
        prefixes=tuple(run.prefixes()) if AttackName.PREFIX in chosen else (),
        extraction=tuple(run.extraction()) if AttackName.EXTRACTION in chosen else (),
        membership=tuple(run.membership()) if AttackName.MEMBERSHIP in chosen else (),
        keys=keys,
    )


@dataclass(frozen=True)
class _Run:
    model: TargetModel
    texts: AttackTexts
    settings: AttackSettings
    recognizer: Recognizer
    report: Report

    def names(self) -> Iterator[GroupResult[NameReconstruction]]:
        """Reconstruct names; own names have other names of both texts as candidates."""
        planted = [canary.name for canary in self.texts.canaries]
        invented = invent_names(self.settings.candidates, self.settings.seed)
        candidates = list(dict.fromkeys([*planted, *invented]))
        candidates = candidates[: max(self.settings.candidates, len(set(planted)))]
        for group, sentences in self.planted_sentences.items():
            self.report(f"name reconstruction: {group}")
            yield GroupResult(
                group=group, result=reconstruct_names(self.model, sentences, candidates)
            )
        if not self.own_sentences:
            return
        own = self._own_candidates()
        if len(own) < _FEWEST_CANDIDATES:
            self.report("left out: names of both texts, which have no second name to rank")
            return
        for group, sentences in self.own_sentences.items():
            self.report(f"name reconstruction: {group}")
            yield GroupResult(group=group, result=reconstruct_names(self.model, sentences, own))

    def _own_candidates(self) -> list[str]:
        """Return the names of the sentences, then others of both texts by turns, to `candidates`.

        All are names that the tokenizer spells.
        """
        self.report("names of both texts")
        own = [s.name for sentences in self.own_sentences.values() for s in sentences]
        count, seed = self.settings.candidates, self.settings.seed
        both = (self.texts.unplanted, self.texts.held_out)
        found = [names_of(texts, self.recognizer, count, seed) for texts in both]
        turns = (name for pair in zip_longest(*found) for name in pair if name is not None)
        others = [name for name in dict.fromkeys(turns) if spells(self.model, name)]
        needed = dict.fromkeys(own)
        return [*needed, *(n for n in others if n not in needed)][: max(count, len(needed))]

    def prefixes(self) -> Iterator[GroupResult[TruePrefix]]:
        """Continue true prefixes."""
        for group, sentences in {**self.planted_sentences, **self.own_sentences}.items():
            self.report(f"true prefix: {group}")
            result = continue_prefixes(
                self.model, sentences, self.settings.seed, self.settings.samples
            )
            yield GroupResult(group=group, result=result)

    def extraction(self) -> Iterator[GroupResult[Extraction]]:
        """Extract training text, from prompts of other texts and from the canaries' openings."""
        self.report("data extraction: suffix array")
        array = self.texts.suffix_array
        seed, count = self.settings.seed, self.settings.prompts
        prompts = {HELD_OUT: self.held_out_prompts}
        for frequency, canaries in self.texts.by_frequency.items():
            chosen = [canary.text for canary in canaries[:count]]
            prompts[planted_group(frequency)] = openings(self.model, chosen)
        for group, asked in prompts.items():
            self.report(f"data extraction: {group}")
            yield GroupResult(group=group, result=extract(self.model, asked, array, seed))

    def membership(self) -> Iterator[GroupResult[MembershipInference]]:
        """Separate planted canaries from those that were not, and texts from other texts."""
        controls = [canary.text for canary in self.texts.by_frequency.get(0, ())]
        for frequency, canaries in self.texts.by_frequency.items():
            if frequency and controls:
                group = planted_group(frequency)
                self.report(f"membership: {group}")
                members = [canary.text for canary in canaries]
                result = infer_membership(self.model, members, controls)
                yield GroupResult(group=group, result=result)
        self.report(f"membership: {TRAINING}")
        yield GroupResult(group=TRAINING, result=infer_membership(self.model, *self.drawn_passages))

    def check(self) -> None:
        """Refuse texts or canaries that an attack cannot use, before the first attack runs.

        Raises:
            InputError: for a text that is too short, or a canary that is too long.
        """
        if AttackName.EXTRACTION in self.settings.attacks:
            _ = self.held_out_prompts
        if AttackName.MEMBERSHIP in self.settings.attacks:
            _check_context(self.model, self.texts.canaries)
            _ = self.drawn_passages

    @cached_property
    def held_out_prompts(self) -> Sequence[str]:
        settings = self.settings
        return drawn_prompts(self.model, self.texts.held_out, settings.prompts, settings.seed)

    @cached_property
    def drawn_passages(self) -> tuple[Sequence[str], Sequence[str]]:
        """Passages of the training text, without planted records, and of the held-out text."""
        count, seed = self.settings.passages, self.settings.seed
        return (
            passages(self.model, self.texts.unplanted, count, seed, "training"),
            passages(self.model, self.texts.held_out, count, seed, "held-out"),
        )

    @cached_property
    def planted_sentences(self) -> Mapping[str, Sequence[NamedSentence]]:
        return {
            planted_group(frequency): canary_sentences(canaries[: self.settings.sentences])
            for frequency, canaries in self.texts.by_frequency.items()
        }

    @cached_property
    def own_sentences(self) -> Mapping[str, Sequence[NamedSentence]]:
        found = {}
        for group, texts in ((TRAINING, self.texts.unplanted), (HELD_OUT, self.texts.held_out)):
            self.report(f"sentences with names: {group}")
            count, seed = self.settings.sentences, self.settings.seed
            drawn = named_sentences(texts, self.recognizer, count, seed)
            sentences = [s for s in drawn if spells(self.model, s.name)]
            if sentences:
                found[f"names of the {group}"] = sentences
            else:
                self.report(f"left out: names of the {group}, which has no such sentence")
        return found


def _recovered_keys(texts: AttackTexts, settings: AttackSettings, report: Report) -> KeyRecovery:
    """Recover keys of encrypted training text."""
    report("key recovery")
    trials = settings.key_trials
    return recover_keys(texts.training, texts.held_out, settings.seed, trials=trials)


def _check_context(model: TargetModel, canaries: Sequence[Canary]) -> None:
    """Refuse canaries that membership cannot score."""
    longest = max((len(model.token_ids(canary.text)) for canary in canaries), default=0)
    if longest > model.context:
        raise InputError(
            f"a canary has {longest} tokens, and the model's context is {model.context}",
            hint="choose other attacks than `membership`, or a model with more `row_tokens`",
        )


def planted_group(frequency: int) -> str:
    """Return the name of the canaries of a frequency."""
    return f"planted {frequency} times" if frequency else "not planted"
