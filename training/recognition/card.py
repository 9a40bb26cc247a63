"""Write a model card: intended use, training data and held-out figures of weights.

Source: Mitchell et al. (2019), arXiv 1810.03993, §4. Differs: factors are the sets themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import TAGGED, EntityType
from sage_rag.training.recognition.report import Report, calibration_table, markdown
from sage_rag.training.recognition.sets import SETS, DataSet

_USE = (
    "Finds names, places, organisations, dates, ages, codes and other descriptions of a person, so "
    "that a text can be protected before it leaves its owner. It runs with pattern recognizers, "
    "which find values of a fixed form (e-mail and network addresses, telephone numbers, keys).",
    "Not for: deciding about people, finding a person across sources, or certifying that a text "
    "is anonymous. Missed values leave in clear: measure the tagger on texts of your own first.",
)
_METRICS = (
    "A value is covered if every letter and digit of it, except those of titles, is in a span of "
    "any type. It is covered under its type if the types of these spans are accepted for its "
    "label. Character precision is the share of letters and digits in spans that annotators "
    "marked, too; if a set marks some types only, spans of other types do not count. Every "
    "figure has its denominator and an exact 95 % interval (Clopper and Pearson, 1934). The "
    "intervals assume independent values; values of one document are not independent.",
)
_UNSEEN = "Texts of the sets below; none of them trained or calibrated anything."
_EVALUATION = (
    "One document in five of each set, by SHA-256 of its name, and the test part of a set that "
    "has one. A document is a judgment, a mail thread, a web page, an encounter, an agreement or "
    "a tweet with its copies. Texts of one template are one document. Sentences of a set without "
    "documents are cut into blocks, and sentences next to a cut are not used. A text that also "
    "occurs in a held-out document does not train. Scores were calibrated on one in ten of the "
    "other documents.",
)
_ETHICS = (
    "Training texts contain names of real people, from public judgments, public web pages and "
    "tweets. Recall differs between names: the texts are mostly English, and names that are rare "
    "in them are missed more often. Types such as descent and religion are found in order to hide "
    "them; do not use them to classify people.",
)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Command, hardware and time of a training.

    `date`: ISO 8601, set by the caller, so that a card is reproducible.
    """

    command: str
    seed: int
    hardware: str
    date: str


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """The facts about one training that a card states.

    `used`: number of training texts by set. `generated`: number of generated texts; `generation`
    describes them. `base`: the model that the weights extend; `base_digest`: SHA-256 of its
    weights.
    """

    title: str
    languages: str
    types: Sequence[EntityType]
    base: str
    base_digest: str
    weights_bytes: int
    used: Mapping[str, int]
    generated: int
    generation: str
    circumstances: Circumstances
    limits: Sequence[str]


def model_card(run: TrainingRun, held_out: Mapping[str, Report]) -> str:
    """Return the card as Markdown; `held_out` maps each measured set to its figures.

    Raises:
        InputError: for a set whose licence does not allow training of shipped weights.
    """
    chosen = _licensed(run.used)
    parts = [
        f"# {run.title}",
        "## Model details",
        _details(run),
        "## Intended use",
        *_USE,
        "## Training data",
        _sources(run.used, chosen),
        f"Generated: {run.generated} texts. {run.generation}",
        "## Licence of the weights",
        _weights_licence(chosen),
        "## Evaluation data",
        *(_EVALUATION if chosen else (_UNSEEN,)),
        "## Metrics",
        *_METRICS,
        "## Held-out figures",
        markdown(held_out).strip(),
        "## Calibration",
        "Over spans above the threshold, ten bins by score (Guo et al., 2017).",
        calibration_table(held_out),
        "## Ethical considerations",
        *_ETHICS,
        "## Limits",
        "\n".join(f"- {limit}" for limit in run.limits),
    ]
    return "\n\n".join(parts) + "\n"


def _licensed(used: Mapping[str, int]) -> dict[str, DataSet]:
    for name in used:
        if name not in SETS:
            raise InputError(f"no set `{name}`", hint=f"one of: {', '.join(SETS)}")
        if not SETS[name].may_train:
            raise InputError(
                f"set `{name}` must not train shipped weights: licence {SETS[name].licence}",
                hint="measure on it, and train without it",
            )
    return {name: SETS[name] for name in used}


def _details(run: TrainingRun) -> str:
    rows = {
        "Languages": run.languages,
        "Types": ", ".join(run.types),
        "Base model": run.base + (f", SHA-256 `{run.base_digest}`" if run.base_digest else ""),
        "Added weights": f"{run.weights_bytes} bytes",
        "Command": f"`{run.circumstances.command}`",
        "Seed": str(run.circumstances.seed),
        "Hardware": run.circumstances.hardware,
        "Date": run.circumstances.date,
    }
    return "\n".join(f"- {name}: {value}" for name, value in rows.items())


def _sources(used: Mapping[str, int], chosen: Mapping[str, DataSet]) -> str:
    if not chosen:
        return "No annotated set."
    lines = ["| set | texts | marks | licence | source |", "| --- | --- | --- | --- | --- |"]
    lines += [
        f"| {name} | {used[name]} | {_types(one)} | {one.licence} | {one.source} |"
        for name, one in chosen.items()
    ]
    return "\n".join(lines)


def _types(one: DataSet) -> str:
    return ", ".join(kind for kind in TAGGED if kind in one.annotated)


def _weights_licence(chosen: Mapping[str, DataSet]) -> str:
    alike = [f"{name} ({one.licence})" for name, one in chosen.items() if "BY-SA" in one.licence]
    if not chosen:
        return "The project's own: only text that it generated trained them."
    credit = "Attribution: the sets of the table above, under the licences that it names."
    if not alike:
        return credit
    return (
        f"{credit} Share-alike sets were among them: {'; '.join(alike)}. Whether weights adapt "
        "the texts that they learnt from is not settled; to be safe, share adapted weights under "
        "CC BY-SA 4.0, too."
    )
