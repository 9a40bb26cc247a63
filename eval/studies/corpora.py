"""The corpora of the study of SAGE: records to index, questions, and attacks.

`healthcaremagic` and `chatdoctor` hold dialogues; every sixth is a question instead of a record.
`squality` holds stories, with the questions that belong to one story alone. `tab` holds judgments
without questions, in which annotators marked the values that identify a person.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import write_file
from sage_rag.common.jsonl import Row, rows
from sage_rag.eval.probes.files import read_probes
from sage_rag.eval.probes.probe import Probe
from sage_rag.indexer.corpus import Document, read_corpus

_HELD_OUT_EVERY = 6
"""One dialogue in six is held out: 100 of 600."""
KNOWN_ITEMS = 100
"""Number of records that are searched by half of their text."""
_DIALOGUES, _JUDGMENTS, _STORIES = 600, 102, 15
_OTHER_JUDGMENTS, _OTHER_STORIES = 25, 10
"""Documents that are not indexed."""
DIALOGUE_FIELDS = ("question", "answer")


@dataclass(frozen=True)
class Corpus:
    """One corpus; `path` is the file to index.

    `held_out` are records of the same kind that are not indexed. `references` are the true answers
    to each question, of which the nearest counts. `marked` are the values that annotators marked as
    direct identifiers.
    """

    name: str
    path: Path
    fields: tuple[str, ...]
    documents: tuple[Document, ...] = field(repr=False)
    probes: tuple[Probe, ...] = field(repr=False)
    questions: tuple[str, ...] = field(default=(), repr=False)
    references: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    marked: tuple[str, ...] = field(default=(), repr=False)
    held_out: tuple[Document, ...] = field(default=(), repr=False)

    @property
    def known_items(self) -> tuple[tuple[str, str], ...]:
        """Ids of records, with the first half of the words of their first field."""
        step = max(1, len(self.documents) // KNOWN_ITEMS)
        chosen = self.documents[::step][:KNOWN_ITEMS]
        return tuple((d.id, half(next(iter(d.fields.values())))) for d in chosen)


def half(text: str) -> str:
    """Return the first half of a text's words."""
    words = text.split()
    return " ".join(words[: (len(words) + 1) // 2])


def load_corpus(name: str, data: Path, home: Path, share: float = 1.0) -> Corpus:
    """Read a corpus from the folder of data sets, and write the file to index to `home`.

    `share`: the share of the study's records to use.

    Raises:
        InputError: for an unknown name, or a missing file.
    """
    if name not in CORPORA:
        raise InputError(f"no corpus is called `{name}`", hint=f"one of: {', '.join(CORPORA)}")
    return CORPORA[name](data, home / f"{name}.jsonl", share)


def _dialogues(name: str, file: str, data: Path, path: Path, share: float) -> Corpus:
    indexed, held_out = divided_dialogues(data / file, share * _DIALOGUES)
    documents = write_records(path, indexed, DIALOGUE_FIELDS)
    return Corpus(
        name,
        path,
        DIALOGUE_FIELDS,
        documents,
        prompts(data, "chat"),
        tuple(record["question"] for record in held_out),
        tuple((record["answer"],) for record in held_out),
        held_out=_others(path, held_out, DIALOGUE_FIELDS),
    )


def _healthcaremagic(data: Path, path: Path, share: float) -> Corpus:
    return _dialogues("healthcaremagic", "healthcaremagic/qa.jsonl", data, path, share)


def _chatdoctor(data: Path, path: Path, share: float) -> Corpus:
    return _dialogues("chatdoctor", "chatdoctor/genmedgpt_5k.jsonl", data, path, share)


def _tab(data: Path, path: Path, share: float) -> Corpus:
    records = first_records(data / "tab_echr_english/tab.jsonl", share * _JUDGMENTS)
    documents = write_records(
        path, ({"id": r["doc_id"], "text": r["text"]} for r in records), ("text",)
    )
    marked = [s["text"] for r in records for s in r["spans"] if s["identifier_type"] == "DIRECT"]
    others = first_records(
        data / "tab_echr_english/tab_sample25_text_only.jsonl", share * _OTHER_JUDGMENTS
    )
    return Corpus(
        "tab",
        path,
        ("text",),
        documents,
        prompts(data, "wiki"),
        marked=tuple(dict.fromkeys(marked)),
        held_out=_others(path, others, ("text",)),
    )


def _squality(data: Path, path: Path, share: float) -> Corpus:
    found = first_records(data / "squality/dev.jsonl", share * (_STORIES + _OTHER_STORIES))
    stories = [{"id": r["passage_id"], "text": r["text"]} for r in found]
    indexed = max(1, round(share * _STORIES))
    records = found[:indexed]
    documents = write_records(path, stories[:indexed], ("text",))
    asked = [q for record in records for q in record["questions"]]
    # "What is the plot?" belongs to every story, so no passage answers it alone.
    times = Counter(q["question"] for q in asked)
    asked = [q for q in asked if times[q["question"]] == 1]
    return Corpus(
        "squality",
        path,
        ("text",),
        documents,
        prompts(data, "wiki"),
        tuple(q["question"] for q in asked),
        tuple(tuple(q["responses"]) for q in asked),
        held_out=_others(path, stories[indexed:], ("text",)),
    )


CORPORA: Mapping[str, Callable[[Path, Path, float], Corpus]] = {
    "healthcaremagic": _healthcaremagic,
    "chatdoctor": _chatdoctor,
    "tab": _tab,
    "squality": _squality,
}


def first_records(file: Path, most: float) -> list[Row]:
    """Return the first records of a file, at least one."""
    return list(islice(rows(file), max(1, round(most))))


def divided_dialogues(file: Path, most: float) -> tuple[list[Row], list[Row]]:
    """Return the first dialogues to index, and every sixth, which is held out as a question.

    Raises:
        InputError: for fewer than six dialogues.
    """
    records = first_records(file, max(_HELD_OUT_EVERY, most))
    held_out = records[_HELD_OUT_EVERY - 1 :: _HELD_OUT_EVERY]
    if not held_out:
        raise InputError(f"the study needs at least {_HELD_OUT_EVERY} dialogues")
    return [row for i, row in enumerate(records, start=1) if i % _HELD_OUT_EVERY], held_out


def write_records(
    path: Path, records: Iterable[Row], fields: Sequence[str], also: Sequence[str] = ()
) -> tuple[Document, ...]:
    """Write ids, `fields` and the keys `also` of records; return the documents of the fields."""
    kept = ({name: record[name] for name in ("id", *also, *fields)} for record in records)
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in kept]
    write_file(path, "".join(lines))
    return tuple(read_corpus(path, fields))


def _others(path: Path, records: Iterable[Row], fields: Sequence[str]) -> tuple[Document, ...]:
    """Return records as an index would hold them, in pieces where they are long."""
    held_out = list(records)
    if not held_out:
        return ()
    other_file = path.with_name(f"{path.stem}-held-out.jsonl")
    return write_records(other_file, held_out, fields)


def prompts(data: Path, kind: str) -> tuple[Probe, ...]:
    """Return the targeted and untargeted prompts of SAGE's authors for a kind of corpus."""
    folder = data / "sage_attacks"
    return tuple(
        read_probes([folder / f"{aim}_{kind}.jsonl" for aim in ("targeted", "untargeted")])
    )
