"""The corpora of the study of SAGE: what is indexed, what is asked of it, how it is attacked.

`healthcaremagic` and `chatdoctor` hold dialogues; every sixth is left out of the index and asked.
`squality` holds stories with questions about them, of which those are taken that were asked of one
story alone. `tab` holds judgments without questions, in which people marked what identifies
somebody.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from sage_rag.common.exceptions import InputError
from sage_rag.eval.probes.files import read_probes
from sage_rag.eval.probes.probe import Probe
from sage_rag.indexer.corpus import Document, read_corpus

EVERY = 6
"""One dialogue in so many is held out: 100 of 600."""
KNOWN_ITEMS = 100
"""How many records are looked for by half of their text."""
_DIALOGUES, _JUDGMENTS, _STORIES = 600, 102, 15
_FIELDS = ("question", "answer")
_Record = Mapping[str, Any]


@dataclass(frozen=True)
class Corpus:
    """One corpus, ready to be indexed from `path`.

    `references` are the true answers to each question, of which the nearest counts. `marked` are
    values that people marked as identifying somebody directly.
    """

    name: str
    path: Path
    fields: tuple[str, ...]
    documents: tuple[Document, ...] = field(repr=False)
    probes: tuple[Probe, ...] = field(repr=False)
    questions: tuple[str, ...] = field(default=(), repr=False)
    references: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    marked: tuple[str, ...] = field(default=(), repr=False)

    @property
    def known_items(self) -> tuple[tuple[str, str], ...]:
        """Ids of records with the first half of what they ask, or of all they say, in words."""
        step = max(1, len(self.documents) // KNOWN_ITEMS)
        chosen = self.documents[::step][:KNOWN_ITEMS]
        return tuple((d.id, half(next(iter(d.fields.values())))) for d in chosen)


def half(text: str) -> str:
    """Return the first half of a text's words."""
    words = text.split()
    return " ".join(words[: (len(words) + 1) // 2])


def load_corpus(name: str, data: Path, home: Path, share: float = 1.0) -> Corpus:
    """Read a corpus from the folder of data sets; what is indexed is written to `home`.

    `share`: how much of what the study takes of it, in records.

    Raises:
        InputError: for an unknown name, or a file that is not there.
    """
    if name not in CORPORA:
        raise InputError(f"no corpus is called `{name}`", hint=f"one of: {', '.join(CORPORA)}")
    return CORPORA[name](data, home / f"{name}.jsonl", share)


def _dialogues(name: str, file: str, data: Path, path: Path, share: float) -> Corpus:
    records = _records(data / file, max(EVERY, share * _DIALOGUES))
    held_out = records[EVERY - 1 :: EVERY]
    if not held_out:
        raise InputError(f"the study needs at least {EVERY} dialogues")
    rest = [record for i, record in enumerate(records, start=1) if i % EVERY]
    documents = _written(path, rest, _FIELDS)
    return Corpus(
        name,
        path,
        _FIELDS,
        documents,
        _prompts(data, "chat"),
        tuple(record["question"] for record in held_out),
        tuple((record["answer"],) for record in held_out),
    )


def _healthcaremagic(data: Path, path: Path, share: float) -> Corpus:
    return _dialogues("healthcaremagic", "healthcaremagic/qa.jsonl", data, path, share)


def _chatdoctor(data: Path, path: Path, share: float) -> Corpus:
    return _dialogues("chatdoctor", "chatdoctor/genmedgpt_5k.jsonl", data, path, share)


def _tab(data: Path, path: Path, share: float) -> Corpus:
    records = _records(data / "tab_echr_english/tab.jsonl", share * _JUDGMENTS)
    documents = _written(path, ({"id": r["doc_id"], "text": r["text"]} for r in records), ("text",))
    marked = [s["text"] for r in records for s in r["spans"] if s["identifier_type"] == "DIRECT"]
    prompts = _prompts(data, "wiki")
    return Corpus("tab", path, ("text",), documents, prompts, marked=tuple(dict.fromkeys(marked)))


def _squality(data: Path, path: Path, share: float) -> Corpus:
    records = _records(data / "squality/dev.jsonl", share * _STORIES)
    stories = ({"id": r["passage_id"], "text": r["text"]} for r in records)
    documents = _written(path, stories, ("text",))
    asked = [q for record in records for q in record["questions"]]
    # "What is the plot?" was asked of every story: among several it has no passage of its own.
    times = Counter(q["question"] for q in asked)
    asked = [q for q in asked if times[q["question"]] == 1]
    return Corpus(
        "squality",
        path,
        ("text",),
        documents,
        _prompts(data, "wiki"),
        tuple(q["question"] for q in asked),
        tuple(tuple(q["responses"]) for q in asked),
    )


CORPORA: Mapping[str, Callable[[Path, Path, float], Corpus]] = {
    "healthcaremagic": _healthcaremagic,
    "chatdoctor": _chatdoctor,
    "tab": _tab,
    "squality": _squality,
}


def _records(file: Path, most: float) -> list[_Record]:
    """Return the first records of a file, at least one."""
    try:
        with file.open(encoding="utf-8") as lines:
            return [json.loads(line) for line in islice(lines, max(1, round(most)))]
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read `{file}`: {type(error).__name__}") from None


def _written(path: Path, records: Iterable[_Record], fields: Sequence[str]) -> tuple[Document, ...]:
    kept = ({name: record[name] for name in ("id", *fields)} for record in records)
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in kept]
    path.touch(mode=0o600)
    path.write_text("".join(lines), "utf-8")
    return tuple(read_corpus(path, fields))


def _prompts(data: Path, kind: str) -> tuple[Probe, ...]:
    folder = data / "sage_attacks"
    return tuple(
        read_probes([folder / f"{aim}_{kind}.jsonl" for aim in ("targeted", "untargeted")])
    )
