"""The table of what rewording keeps of a record, and of changes of meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sage_rag.eval.studies.sage.readings import DraftReading
from sage_rag.eval.studies.sage.results import IndexComparison, IndexMeasurement
from sage_rag.eval.studies.tables import NO_FIGURE, share, table
from sage_rag.privacy.gate.findings import FindingKind
from sage_rag.privacy.gate.kept import KINDS

_TITLES = {"words": "content words"}
_REFUSED = {
    FindingKind.MEANING_CHANGED: "records refused for a change of meaning",
    FindingKind.UNVERIFIED_REWORDING: "records refused for words that their source lacks",
    FindingKind.QUESTION_LOST: "records refused for a lost question",
}
_READ = {
    "altered": "compared by a reader: drafts with a change of meaning",
    "serious": "of these, one that matters for safety or rights",
    "orphaned": "other drafts with a word whose meaning was left out",
    "question_lost": "drafts without the record's question",
    "ungrammatical": "drafts with a sentence that is no English",
}
_NOT_READ = "not read"
_COMMIT = "commit of the drafts that were read"


def kept_of_records(
    sets: Mapping[str, IndexComparison], readings: Mapping[str, DraftReading]
) -> Iterator[str]:
    """Yield a table of `sage` with a row for each kind of content and a column for each corpus."""
    rows = {name: row for name, compared in sets.items() if (row := compared.row("sage"))}
    if not any(row.kept for row in rows.values()):
        return
    lines = [[f"{_TITLES.get(kind, kind)} kept", *(_kept(r, kind) for r in rows.values())]
             for kind in KINDS]  # fmt: skip
    lines += [[title, *(_refused(r, kind) for r in rows.values())]
              for kind, title in _REFUSED.items()]  # fmt: skip
    lines += [[title, *(_read(readings.get(name), count) for name in rows)]
              for count, title in _READ.items()]  # fmt: skip
    lines.append([_COMMIT, *(_commit(readings.get(name)) for name in rows)])
    yield from ("## What the rewording keeps", _MEANING, table(["`sage`", *rows], lines))


_MEANING = """\
Rules leave a sentence out sooner than they alter it, so content is missing. The gate compares each
sentence of a draft with those that it comes from, and refuses a change of meaning. *Kept* counts
the published records alone. A reader, a language model, compared published drafts with their
originals, as the patient would: a question that then asks about another sentence counts as a change
of meaning. Where the last row names another commit than that of the study, the drafts are of
another version; a `+` stands for changes on top of it.

The gate finds none of these changes, since each sentence is the record's own: it misleads because
others were left out. A negation of the past without the complaint that follows it, one of several
causes, a reassurance without the more urgent advice, "the decision" without what it was. Earlier
readers, of earlier versions, counted 5 of 30 drafts of `healthcaremagic` and 2 of 22 of `tab`. The
readers of this table were asked to be as strict as they could; before the rules kept with a
sentence what it needs (4ebe81d), they found another meaning in 17 of 30 drafts of `healthcaremagic`
and 9 of 30 of `chatdoctor`. Rules that know no more than words cannot choose half of a text so that
it never misleads: read drafts before you publish them, give the agents a model, or take
`encrypted`, which leaves nothing out."""


def _kept(row: IndexMeasurement, kind: str) -> str:
    left, of = row.kept.get(kind, (0, 0))
    return f"{left} of {of} ({100 * left / of:.0f} %)" if of else NO_FIGURE


def _refused(row: IndexMeasurement, kind: FindingKind) -> str:
    return f"{row.reasons.get(kind, 0)} of {row.documents}"


def _read(reading: DraftReading | None, count: str) -> str:
    return _NOT_READ if reading is None else share(reading.share(count))


def _commit(reading: DraftReading | None) -> str:
    return _NOT_READ if reading is None else reading.commit
