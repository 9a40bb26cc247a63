"""The page of the study of SAGE: criteria, tables, and limits of the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sage_rag.eval.studies.sage import choice_tables, exposure_tables, paper, tables
from sage_rag.eval.studies.sage.call_savings import FAULTS, PRICE
from sage_rag.eval.studies.sage.criteria import AGREEMENT, criteria
from sage_rag.eval.studies.sage.kept_table import kept_of_records
from sage_rag.eval.studies.sage.readings import read_readings
from sage_rag.eval.studies.sage.results import IndexComparison, SageStudy, StudyPart
from sage_rag.eval.studies.tables import share, table


def markdown(study: SageStudy) -> str:
    """Return the page; parts that were not run are left out."""
    return "\n\n".join(_blocks(study)) + "\n"


def _blocks(study: SageStudy) -> Iterator[str]:
    parts = study.parts
    yield from ("# Measurements of SAGE", _OPENING)
    sets = {c.corpus: c for name in ("recipes", "corpora") for c in _compared(study, name)}
    if sets:
        yield from criteria(sets, parts["calls"].calls[0] if "calls" in parts else None)
        yield from kept_of_records(sets, read_readings())
        yield from exposure_tables.not_protected(sets)
    if parts:
        yield from _runs(parts)
    for name, section in _SECTIONS.items():
        if name in parts:
            yield from section(parts[name])
    yield from ("## Limits of the figures", "\n".join(_limits(sets)))


_OPENING = """\
Leakage, utility and cost of an index by recipe `sage`, next to the plain corpus (`origin`), the
other recipes, and the SAGE paper (Zeng et al., 2024, arXiv 2406.14773). The data is real; this page
holds no text of it."""


def _compared(study: SageStudy, part: str) -> tuple[IndexComparison, ...]:
    return study.parts[part].compared if part in study.parts else ()


def _runs(parts: Mapping[str, StudyPart]) -> Iterator[str]:
    commands = dict.fromkeys(part.command for part in parts.values())
    yield from ("## Commands and data", "\n".join(["```", *commands, "```"]))
    conditions = {name: f"By {p.agents}. {p.environment}" for name, p in parts.items()}
    for condition in dict.fromkeys(conditions.values()):
        names = (f"{n} ({p.seconds:.0f} s)" for n, p in parts.items() if conditions[n] == condition)
        yield f"{condition} Parts: {', '.join(names)}."
    rows: dict[str, list[object]] = {}
    for found in (c for part in parts.values() for c in part.compared):
        asked = [found.questions, found.known_items, *found.prompts.values()]
        rows.setdefault(found.corpus, [found.corpus, found.documents, *asked])
    titles = ("corpus", "indexed", "questions", "known items", "targeted prompts", "untargeted")
    yield from (table(titles, rows.values()), _DATA)


_DATA = """\
`healthcaremagic`: real forum dialogues; every sixth is a question and is not indexed. `chatdoctor`:
the same with dialogues by ChatGPT. `tab`: judgments in pieces of 1,500 characters, without
questions. `squality`: stories in such pieces, with questions that belong to one story alone, and
four true answers each, of which the nearest counts. A known item is an indexed record; the query is
the first half of the words of its question, or of its text. Brackets hold 95 % intervals: exact for
proportions (Clopper-Pearson), a bootstrap over questions for ratios. Answers consist of sentences
of the passages, restored with the key."""


def _recipes(part: StudyPart) -> Iterator[str]:
    (compared,) = part.compared
    yield from (f"## Leakage ({compared.corpus})", _LEAKAGE)
    yield from ("### The whole index", tables.whole_indexes(compared))
    yield f"The paper's worst case of SAGE: {paper.WORST_CASE}."
    yield from ("### Through retrieval, k = 1", _PROMPTS, tables.attacks(compared))
    if any(row.exposures for row in compared.rows):
        yield from ("### Linkage and membership", exposure_tables.by_recipe(compared))
    yield from ("## Utility of answers", _WORTH, tables.utility(compared))
    yield tables.reasons(compared)
    yield from ("## Number of passages", _PASSAGES, tables.passages(compared))


_LEAKAGE = """\
Every passage counts as shown, without a model: a model receives no more than the passages. An
original is *repeated* if an output has ten of its words in a row, and *alike* if ROUGE-L F is over
0.5 (the paper's definition). *By code* means recall or precision over 0.5, as in the authors' code.
Outputs are compared with every original, so a stock phrase counts for each original that has it.
`sage, stage 1 alone` publishes the first draft if it passes the gate of the baselines."""
_PROMPTS = """\
With the paper's own prompts. The paper's figures are from 250 prompts each, GPT-3.5 between
attacker and passages, and 200,000 dialogues. The sizes differ, so only the direction is comparable.
Rules cannot do `checklist`, `zerogen` and `attrprompt`."""
_WORTH = """\
From the first five passages. *Paper*: its figures as a share of its `Origin`, with one passage and
GPT-3.5. Questions are pseudonymised under the policy of the index, as at the edge; `redacted`
receives plain questions."""
_PASSAGES = """\
The paper's Figure 5 has no numbers: stage 1 leaks more with k, stage 2 leaks almost nothing."""


def _corpora(part: StudyPart) -> Iterator[str]:
    yield "## Other corpora"
    for compared in part.compared:
        yield from (f"### {compared.corpus}", tables.whole_indexes(compared))
        yield from (tables.attacks_with_five_passages(compared), tables.utility_alone(compared))
        yield tables.reasons(compared)


def _attributes(part: StudyPart) -> Iterator[str]:
    yield from ("## Number of attributes", _ATTRIBUTES, choice_tables.attributes(part.compared[0]))


_ATTRIBUTES = """\
m counts the attributes of both sides. With a model, m decides which information is kept. Rules
keep the same sentences for any m."""


def _rounds(part: StudyPart) -> Iterator[str]:
    yield from ("## Number of rounds", _ROUNDS)
    yield choice_tables.rounds(part.compared[0], part.drafts)


_ROUNDS = f"""\
With the gate, fewer rewrites cost records, not safety: refused drafts are quarantined. The last
columns show the drafts at that point if they were used without the gate, as the authors' code uses
drafts that stay unsafe. The paper's average is {paper.ROUNDS} rounds (Table 7)."""


def _calls(part: StudyPart) -> Iterator[str]:
    yield from ("## Call savings", _CALLS, choice_tables.calls(part.calls))


_FAULT_LIST = ", ".join(f"{role} {wrong} 1 in {often}" for role, (wrong, often) in FAULTS.items())
_CALLS = f"""\
**With a scripted model, which is not a language model; no real model was measured.** It fills every
role from the prompt alone and fails by the digest of its question ({_FAULT_LIST}).
These rates decide how often a record is rewritten, and so the counts. Tokens are estimated from
bytes (three each), at ${PRICE.prompt_per_million} and ${PRICE.completion_per_million} a million of
prompt and answer. The paper: {paper.CALLS} calls, ${paper.COST_PER_RECORD} a record (Table 7)."""


def _cost(part: StudyPart) -> Iterator[str]:
    yield from ("## Cost of indexing", _COST, choice_tables.cost(part))


_COST = """\
`sage-rag index`, from the start of the process to its end, with its peak resident memory."""

_SECTIONS: Mapping[str, Callable[[StudyPart], Iterator[str]]] = {
    "recipes": _recipes,
    "corpora": _corpora,
    "attributes": _attributes,
    "rounds": _rounds,
    "calls": _calls,
    "cost": _cost,
}


def _limits(sets: Mapping[str, IndexComparison]) -> Iterator[str]:
    yield _LIMITS
    rows = [(name, row) for name, compared in sets.items() if (row := compared.row("sage"))]
    counted = [
        f"{found.prompts.successes} of {row.published} of `{name}`"
        for name, row in rows
        if (found := row.whole_index.find("rouge-compat"))
    ]
    for name, compared in sets.items():
        alone = compared.row("encrypted")
        if alone and alone.agreement.successes < AGREEMENT * alone.agreement.trials:
            yield (
                f"* **On `{name}` encryption alone costs agreement**: with only the private values "
                f"changed, it is {share(alone.agreement)}. Rewriting cannot be expected to do "
                "better."
            )
    if counted:
        yield (
            "* **By the authors' code some passages are too similar to an original**: "
            f"{', '.join(counted)}. It counts recall or precision over 0.5, which a shorter text "
            "in the same order easily reaches; the paper and the gate use F."
        )


_LIMITS = """\
* **The rules were developed on `healthcaremagic` and `chatdoctor`**: their utility, agreement and
  quarantine are development figures. `tab` and `squality` are other corpora; but the weight of
  dense and lexical scores was chosen on all four.
* **0 by the gate is not 0 risk.** The gate measures what the table of leakage measures. Facts
  remain, since they make a record useful, and so does most of the wording, in pieces: see what the
  rewording does not protect from.
* The gate limits a draft's ROUGE-L to its own original. An audit before publishing limits ROUGE-L
  and runs of ten words to all originals of the corpus, which are those of the tables. Originals
  that other people hold are not compared.
* Contact details are the ones that the recognizer finds in the originals; a contact that it misses
  is not counted. *Marked identifiers* do not depend on it: annotators marked them. But the trained
  tagger learned from four of five of these judgments; [tagger](tagger.md) has its figures on the
  others.
* An answer is extracted, not generated, and compared with one person's words. A ratio near 1 means
  that it holds as much of the true answer as one from the originals, not that the answer is good.
* A quarantined record counts as not found, so agreement and known items include its loss.
* Rule agents are not a language model: `checklist`, `zerogen` and `attrprompt`, which rules cannot
  do, are missing in their results. Calls, tokens and dollars always come from a scripted model."""
