"""The records of the study of `consensus`, split by seed into indexed and not indexed."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.jsonl import Row, rows
from sage_rag.eval.studies.corpora import DIALOGUE_FIELDS, Corpus, write_records

INDEXED = 0.8
"""Share of the records that are indexed; the questions of the others are asked."""
SUBJECT = "subject"
"""Key of a jsonl record: whose record it is."""
_FEWEST = 5


def split_corpus(
    name: str,
    data: Path,
    folder: Path,
    seed: int = 0,
    most: int | None = None,
    share: float = 1.0,
) -> Corpus:
    """Read a corpus, split it at random, and write the files of both parts to `folder`.

    Every record is a subject of its own; pieces of a judgment have the judgment as their subject.
    `most`: only the first records are used, and of them only `share`.

    Raises:
        InputError: for an unknown name, a missing file, or too few records.
    """
    if name not in SPLITS:
        raise InputError(f"no corpus is called `{name}`", hint=f"one of: {', '.join(SPLITS)}")
    records, fields = SPLITS[name](data)
    records = records[:most]
    records = records[: max(1, round(share * len(records)))]
    if len(records) < _FEWEST:
        raise InputError(f"`{name}` has {len(records)} records", hint=f"at least {_FEWEST}")
    random.Random(seed).shuffle(records)  # noqa: S311 - a split, not a secret
    cut = round(INDEXED * len(records))
    named = f"{name}-{most or 'all'}-s{seed}"
    return corpus_of(named, records[:cut], records[cut:], fields, folder)


def corpus_of(
    name: str, indexed: Sequence[Row], others: Sequence[Row], fields: Sequence[str], folder: Path
) -> Corpus:
    """Return records to index and others as a corpus; the others' questions are asked."""
    path = folder / f"{name}.jsonl"
    held_out_path = folder / f"{name}-held-out.jsonl"
    dialogues = len(fields) > 1
    return Corpus(
        name=name,
        path=path,
        fields=tuple(fields),
        documents=write_records(path, map(_with_subject, indexed), fields, [SUBJECT]),
        probes=(),
        questions=tuple(record[fields[0]] for record in others) if dialogues else (),
        references=tuple((record[fields[1]],) for record in others) if dialogues else (),
        held_out=write_records(held_out_path, others, fields) if others else (),
    )


def subject_of(document_id: str) -> str:
    """Return whose record a document is: a piece of a long text has a number after `#`."""
    return document_id.partition("#")[0]


def _with_subject(record: Row) -> Row:
    return {**record, SUBJECT: record["id"]}


def _dialogues(file: str) -> Callable[[Path], tuple[list[Row], Sequence[str]]]:
    return lambda data: (list(rows(data / file)), DIALOGUE_FIELDS)


def _judgments(data: Path) -> tuple[list[Row], Sequence[str]]:
    folder = data / "tab_echr_english"
    files = folder / "tab.jsonl", folder / "tab_sample25_text_only.jsonl"
    found = [record for file in files for record in rows(file)]
    # One judgment is there twice; split apart, it would count as a record that leaked.
    distinct = {record["text"]: _judgment(record) for record in found}
    return [{"id": name, "text": text} for text, name in distinct.items()], ("text",)


def _judgment(record: Row) -> str:
    return str(record["doc_id"] if "doc_id" in record else record["id"])


SPLITS: Mapping[str, Callable[[Path], tuple[list[Row], Sequence[str]]]] = {
    "healthcaremagic": _dialogues("healthcaremagic/qa.jsonl"),
    "chatdoctor": _dialogues("chatdoctor/genmedgpt_5k.jsonl"),
    "tab": _judgments,
}
"""How the records of each corpus are read, and their fields."""
