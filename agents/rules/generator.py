"""The generator: a new record from key information alone."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

from sage_rag.agents.lexicon import lexicon, words
from sage_rag.agents.protocols import CorpusAttributes, Draft, Extraction
from sage_rag.agents.rules.arrangement import ALIKE
from sage_rag.agents.rules.courtesies import CLOSING, is_closing, is_greeting
from sage_rag.agents.rules.edits import STIFF, TERSE
from sage_rag.agents.rules.sentences import capitalize, sentence_places
from sage_rag.agents.rules.wording import RUN, Wording
from sage_rag.privacy.gate.leakage import Original

_SIGNATURE = re.compile(r"(?:(?:Dr|Prof|Sister|Nurse)\.? )?\[PERSON_\d+\]\.?")
_PRONOUN = re.compile(r"(She|He)\b(?! or )")


class RuleGenerator:
    """Write each field from its attributes in the extraction's order, in other words.

    Changes as few words as possible: it breaks runs of ten. If the whole is still too like the
    record, it inverts sentences, then exchanges small words, whole phrases and at last content
    words. Deterministic: equal extractions give equal drafts.

    Source: Zeng et al. (2024), arXiv 2406.14773, §3.1. Differs: rules, no model.
    """

    async def generate(self, extraction: Extraction, attributes: CorpusAttributes) -> Draft:
        """Return a draft with one text per field of the attributes."""
        phrases = extraction.phrases
        seed = hashlib.sha256(repr(sorted(phrases.items())).encode()).hexdigest()
        wording = Wording(seed)
        fields = {attribute.name: attribute.field for attribute in attributes.entries}
        by_field: dict[str, list[str]] = {field: [] for field in fields.values()}
        for name, items in phrases.items():
            by_field[fields[name]].extend(items)
        order = extraction.sentences or by_field
        source = Original("\n".join(" ".join(order.get(field, ())) for field in by_field))
        texts = {
            field: _field_sentences(items, wording, source) for field, items in by_field.items()
        }
        _reduce_likeness(source, texts, wording)
        return Draft({field: " ".join(sentences) for field, sentences in texts.items()})


def _field_sentences(items: Sequence[str], wording: Wording, source: Original) -> list[str]:
    """Return one field's sentences: greeting, content, closing, signature."""
    kin = _kin(" ".join(items))
    content: list[str] = []
    signature = ""
    for item in items:
        if _is_courtesy(item):
            continue
        sentences = [item[a:b] for a, b in sentence_places(item)]
        if _SIGNATURE.fullmatch(sentences[-1]):
            signature = sentences.pop()
        if sentences:
            sentences[0] = _name_pronoun(sentences[0], content, kin)
            content.extend(sentences)
    greeting = [item for item in items if is_greeting(item)]
    closing = [item for item in items if is_closing(item)]
    if signature:
        closing = [item for item in closing if not item.startswith(CLOSING.rstrip(","))]
        closing.append(f"{CLOSING} {signature.rstrip('.')}.")
    return [*greeting[:1], *wording.reword(content, source), *closing]


def _is_courtesy(text: str) -> bool:
    return is_greeting(text) or is_closing(text)


def _reduce_likeness(source: Original, fields: dict[str, list[str]], wording: Wording) -> None:
    """Reword sentences in place, the longest first, until the whole is unlike `source`."""
    for change in (
        wording.invert,
        lambda sentence: wording.vary(sentence, 0),
        wording.move,
        lambda sentence: wording.vary(sentence, 1, STIFF),
        lambda sentence: wording.vary(sentence, 0, TERSE),
    ):
        for sentences, place in _longest_first(fields):
            alike, run = source.compare(_text(fields)).rouge_l, _longest_run(source, fields)
            if alike <= ALIKE:
                return
            old = sentences[place]
            sentences[place] = change(old)
            grown = _longest_run(source, fields)
            if source.rouge_l(_text(fields)) > alike or (grown >= RUN and grown > run):
                sentences[place] = old


def _longest_run(source: Original, fields: dict[str, list[str]]) -> int:
    return source.longest_shared_run(_text(fields))


def _longest_first(fields: dict[str, list[str]]) -> Iterator[tuple[list[str], int]]:
    found = [
        (sentences, place)
        for sentences in fields.values()
        for place, sentence in enumerate(sentences)
        if not _is_courtesy(sentence)
    ]
    # Of a dialogue the reply first: questions find a record by its request.
    replies = list(fields.values())[-1]
    yield from sorted(found, key=lambda at: (at[0] is not replies, -len(words(at[0][at[1]]))))


def _text(fields: dict[str, list[str]]) -> str:
    return "\n".join(" ".join(sentences) for sentences in fields.values())


def _kin(text: str) -> dict[str, str]:
    """Return the relatives that `He` and `She` refer to, if the text names any."""
    found: dict[str, str] = {}
    known = lexicon()
    for match in re.finditer(
        r"\b[Mm]y (?:\d+[\w-]* (?:months? |years? )?(?:old )?)?([\w-]+)", text
    ):
        relative = match.group(1).lower()
        if relative in known.kin_female:
            found.setdefault("She", f"My {relative}")
        elif relative in known.kin_male:
            found.setdefault("He", f"My {relative}")
    return found


def _name_pronoun(sentence: str, content: Sequence[str], kin: dict[str, str]) -> str:
    """Replace a pronoun at the beginning by the relative, if no earlier sentence names them."""
    match = _PRONOUN.match(sentence)
    who = kin.get(match.group(1)) if match else None
    if who is None or any(who[3:] in earlier for earlier in content):
        return sentence
    return capitalize(who) + sentence[len(match.group()) :] if match else sentence
