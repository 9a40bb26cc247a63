"""The page of the study of `consensus`: targets, tables, and limits of the figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sage_rag.eval.studies.consensus import tables
from sage_rag.eval.studies.consensus.criteria import TARGETS, criteria
from sage_rag.eval.studies.consensus.results import ConsensusStudy, CorpusFigures, StudyPart
from sage_rag.eval.studies.plot import Point, scatter
from sage_rag.eval.studies.tables import table
from sage_rag.indexer.consensus.options import ConsensusOptions

_K = ConsensusOptions().k
_CORPORA = ("healthcaremagic", "chatdoctor", "chatdoctor-1300", "tab")


def markdown(study: ConsensusStudy, plot: str) -> str:
    """Return the page; parts that were not run are left out. `plot`: the file of the plot."""
    return "\n\n".join(_blocks(study, plot)) + "\n"


def _blocks(study: ConsensusStudy, plot: str) -> Iterator[str]:
    parts = study.parts
    yield from ("# Measurements of recipe `consensus`", _OPENING)
    splits = {name: parts[name].splits[0] for name in _CORPORA if name in parts}
    yield from _targets(splits)
    for split in splits.values():
        yield from _corpus(split)
    if "seeds" in parts and "healthcaremagic" in splits:
        every = [splits["healthcaremagic"], *parts["seeds"].splits]
        yield from ("## Other splits of healthcaremagic", _SEEDS, tables.seeds(every, _K))
    if "curve" in parts:
        yield from ("## Subjects a statement and records a topic", _CURVE, f"![curve]({plot})")
        yield tables.curve(parts["curve"].splits[0])
    if "canaries" in parts:
        part = parts["canaries"]
        yield from ("## Planted facts", _CANARIES, tables.canaries(part.canaries, part.canary_k))
    if "cost" in parts:
        yield from ("## Speed", _COST, tables.cost(parts["cost"].indexing))
        yield tables.speed_ratio(parts["cost"].indexing)
    if "growth" in parts:
        yield from ("## Many records", _GROWTH, tables.growth(parts["growth"].growth))
    yield from ("## Limits of the figures", _LIMITS)
    if parts:
        yield from _commands(parts)


def _targets(splits: Mapping[str, CorpusFigures]) -> Iterator[str]:
    rows = {name: tables.consensus_row(split, _K) for name, split in splits.items()}
    known = {name: row for name, row in rows.items() if row and name in TARGETS}
    if known:
        yield criteria(known, splits)


def _corpus(split: CorpusFigures) -> Iterator[str]:
    yield f"## {split.corpus}, {split.indexed} indexed"
    asked = f"; {split.questions} questions" if split.questions else ""
    what = "records" if split.questions else "pieces of judgments"
    others = "records" if split.questions else "judgments"
    yield f"{split.indexed} {what} are indexed; {split.others} {others} are not{asked}."
    yield tables.sizes(split)
    if split.unpublished:
        choices = "; ".join(split.unpublished)
        yield f"A consensus that would represent next to no record is not published: {choices}."
    yield from ("### Membership, area under the curve", tables.membership(split))
    yield from ("### Members detected, and linkage", tables.detection(split))
    if split.questions:
        yield from ("### Utility of answers", tables.utility(split))
        yield from (_SPECIFIC, tables.specific(split))
    if any(row.wording for row in split.rows):
        yield from ("### Wording", tables.wording(split))


def curve_plot(part: StudyPart) -> str:
    """Return the curve over k and topic size as SVG: worst AUC across, content F1 up."""
    series: dict[str, list[Point]] = {}
    for row in part.splits[0].rows:
        found = row.utility.ratios["content_f1"] if row.utility else None
        if row.k is not None and found is not None:
            point = Point(row.worst.auc, found.value, str(row.topic_records))
            series.setdefault(f"k = {row.k}", []).append(point)
    return scatter(series, "membership, worst AUC", "content F1, share of origin's")


def _commands(parts: Mapping[str, StudyPart]) -> Iterator[str]:
    commands = dict.fromkeys(part.command for part in parts.values())
    yield from ("## Commands", "\n".join(["```", *commands, "```"]))
    rows: Sequence[Sequence[object]] = [
        [name, f"{part.seconds:.0f}", part.environment.commit, part.environment.date]
        for name, part in parts.items()
    ]
    yield table(("part", "seconds", "commit", "date"), rows)
    if len({part.environment.commit for part in parts.values()}) > 1:
        yield _COMMITS
    yield str(next(iter(parts.values())).environment)


_OPENING = f"""\
Recipe `consensus` publishes what at least k subjects say, by topic, instead of one passage per
record; k is {_K} by default. This page compares it with the plain corpus (`origin`), with
identifiers as tokens (`encrypted`), and with one synthetic record per record (`sage`, by rules).
The data is real; this page has no text of it. Each corpus is split at random: 80 % of the records
are indexed, and the questions of the others are asked.

* *Membership*: an attacker holds a record and the published index, without a key, and asks whether
  the record was indexed. Members are all indexed records, also those that no passage represents.
  By *vectors*: the cosine to the nearest passage. By *runs*: the share of the record's runs of four
  words that the *best passage* has, or that occur anywhere in the *whole index*. AUC is the area
  under the ROC curve; 0.5 is a guess. *Detected*: members found at 1 % false alarms. `sage` refuses
  many records, which no attack finds; *records with a passage* leaves these out.
* *Linkage*: the record nearest to a passage is one that the passage was made of. *By chance*: the
  share that a guess would link. A passage of many records is linked more often by chance.
* *Content F1*: the F1 of the sets of content stems of answer and true answer, weighted by idf over
  the indexed originals. *Cosine*: of the embedder's vectors of both. Courtesies are left out of
  both sides, and a refused question scores 0. Answers are extractive, from the first five passages,
  and read with the key.
* *Rare run*: words in a row that a passage shares with at least one subject's originals, but with
  fewer than k subjects'.
* *Clauses that fewer say*: distinct clauses that fewer than k subjects say, of those published. A
  subject says a clause if a sentence of its originals has these words in a row and means the same
  by the [gate for meaning](meaning.md), which judges drafts and had no part in choosing clauses.
  Topics are no clauses.

Brackets hold 95 % intervals: exact for proportions (Clopper-Pearson), a bootstrap over records or
questions for areas and ratios."""

_SEEDS = """\
The same measurement on other random splits: which records are indexed, and which are asked."""
_SPECIFIC = """\
*Unrelated*: the same answers against the true answers of five other questions. A general statement
fits many questions; what an answer scores above that belongs to its own question."""
_CURVE = """\
On healthcaremagic, seed 0. A point's label is the number of records a topic."""
_CANARIES = """\
Each invented fact is planted in the questions of the given number of subjects whose records are
most alike. A fact is in the version if its word, which no other text has, is in any passage. That k
subjects share a fact is necessary, not sufficient: a passage says what is central to its topic."""
_COST = """\
`sage-rag index` on the same records, from the start of the process to its end, by rules."""

_COMMITS = """\
The parts are of different commits: a part of an earlier one describes the recipe as it was then."""

_GROWTH = """\
Invented records of about 70 words, indexed with a recognizer that finds nothing and vectors of
hashed words: what a run costs besides its models, which read each record once."""

_LIMITS = """\
* **The rules of `consensus` were developed on `healthcaremagic` and `chatdoctor`.** Their figures
  are development figures; `tab` is another corpus.
* **Few real records state the same.** Of 480 dialogues of healthcaremagic, k = 3, 22 of 53 passages
  state something, mostly "Consult your doctor" and "Possible: infection"; the others name topics
  alone. Of 250, 13 of 31 do. Of 500 of chatdoctor, drawn at random, 54 of 61 do (commit 80f86d6). A
  version of which no passage does is refused.
* **A figure near 0.5 is not a proof.** It is what these attacks find. An attacker who knows k - 1
  of the subjects of a statement, or two versions of one corpus, learns more. The recipe is not
  differentially private.
* **A target is judged by the figure, not by its interval.** The table says where the
  interval reaches beyond the target: the true value may, too.
* **Statements of four words or more need 2k subjects.** When k were enough, the few statements that
  just k subjects say gave them away: these k are members, and few others say the same. At k = 3, 21
  of 480 members of split 0 of healthcaremagic were detected by them, and 24 of split 1.
* **Linkage remains.** The record nearest to a passage by vectors is mostly one of its topic. That
  says which topic a record is in once its indexing is known, and little about whether it was
  indexed: an unindexed record on the same subject is as near.
* An attacker of membership holds the original text. One who knows only facts about a person has
  less.
* Splits of one corpus overlap, so means over seeds are less certain than three independent corpora.
* Rare runs are counted in the originals, and so does the gate where two statements meet. Inside a
  statement it counts protected records: a word that is hidden in some of them and in clear in k
  others may be said.
* The rules of answers were chosen on splits of the indexed records, whose questions are not
  those of this page.
* An answer of `consensus` has statements of up to five passages; one of another recipe quotes one
  record.
* Raw scores can rise without a better answer. On a development split of chatdoctor, an earlier
  form of answers, in sentences from twenty passages instead of lists from five, raised content F1
  by 18 % and cosine by 15 %; above unrelated questions F1 rose by 2 % and cosine by 7 %, and on one
  of healthcaremagic they fell by 29 % and 31 %. So answers read five passages.
* An answer is compared with one person's words. A share near 1 means that it holds as much of the
  true answer as an answer from the originals, not that either answer is good.
* Content F1 rewards words that many answers have. A passage of common statements therefore scores
  high; rare facts, which the recipe leaves out by design, count in few questions.
* Of 127 judgments one is there twice, so 126 are split. They are indexed in pieces of 1,500
  characters. Membership is asked of whole judgments: the mean over their pieces counts."""
