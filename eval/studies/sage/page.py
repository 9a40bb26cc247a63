"""The page of the study of SAGE: what was expected and reached, the tables, what they hide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sage_rag.eval.studies.sage import choice_tables, paper, tables
from sage_rag.eval.studies.sage.call_savings import FAULTS, PRICE
from sage_rag.eval.studies.sage.criteria import AGREEMENT, criteria
from sage_rag.eval.studies.sage.results import IndexComparison, SageStudy, StudyPart
from sage_rag.eval.studies.sage.tables import share
from sage_rag.eval.studies.tables import table


def markdown(study: SageStudy) -> str:
    """Return the page; parts that were not run are left out."""
    return "\n\n".join(_blocks(study)) + "\n"


def _blocks(study: SageStudy) -> Iterator[str]:
    parts = study.parts
    yield from ("# SAGE measured", _OPENING)
    sets = {c.corpus: c for name in ("recipes", "corpora") for c in _compared(study, name)}
    if sets:
        yield from criteria(sets, parts["calls"].calls[0] if "calls" in parts else None)
    if parts:
        yield from _runs(parts)
    for name, section in _SECTIONS.items():
        if name in parts:
            yield from section(parts[name])
    yield from ("## What the figures hide", "\n".join(_limits(sets)))


_OPENING = """\
What an index made by recipe `sage` leaks, what answers from it are worth, and what it takes,
next to the plain corpus (`origin`), the other recipes, and the SAGE paper (Zeng et al., 2024,
arXiv 2406.14773). Real data; no text of it stands here."""


def _compared(study: SageStudy, part: str) -> tuple[IndexComparison, ...]:
    return study.parts[part].compared if part in study.parts else ()


def _runs(parts: Mapping[str, StudyPart]) -> Iterator[str]:
    commands = dict.fromkeys(part.command for part in parts.values())
    yield from ("## How it was run", "\n".join(["```", *commands, "```"]))
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
`healthcaremagic`: real forum dialogues, of which every sixth is a question and not indexed.
`chatdoctor`: the same of dialogues by ChatGPT. `tab`: judgments in pieces of 1,500 characters,
without questions. `squality`: stories in such pieces, with questions, of which those were taken
that were asked of one story alone, and four true answers each, of which the nearest counts. A
known item is an indexed record, asked for by the
first half of the words of its question, or of its text. In brackets stand 95 % intervals: of
proportions exact (Clopper-Pearson), of ratios a bootstrap over questions. Answers are put
together from sentences of the passages, restored with the key."""


def _recipes(part: StudyPart) -> Iterator[str]:
    (compared,) = part.compared
    yield from (f"## What leaks ({compared.corpus})", _LEAKAGE)
    yield from ("### The whole index", tables.whole_indexes(compared))
    yield f"The paper's worst case of SAGE: {paper.WORST_CASE}."
    yield from ("### Through retrieval, k = 1", _PROMPTS, tables.attacks(compared))
    yield from ("## What answers are worth", _WORTH, tables.utility(compared))
    yield tables.reasons(compared)
    yield from ("## How many passages are retrieved", _PASSAGES, tables.passages(compared))


_LEAKAGE = """\
Every passage counts as shown, no model between: whatever a model answers, it was given no more.
An original is *repeated* where ten of its words stand in a row, *alike* where ROUGE-L F is over
0.5 (the paper's definition); *by code*: recall or precision over 0.5, as the authors' code has
it. Outputs are compared with every original, so that a stock phrase counts for each that has it.
`sage, stage 1 alone` publishes the first draft, held to the gate of the baselines."""
_PROMPTS = """\
The paper's own prompts. Its figures are of 250 prompts each, GPT-3.5 between attacker and
passages, and 200,000 dialogues: of another size, and comparable in direction alone. `checklist`,
`zerogen` and `attrprompt` cannot be done by rules."""
_WORTH = """\
From the first five passages. Paper: its figures as a share of its `Origin`, one passage and
GPT-3.5. Questions go out under the policy of the index, as at the edge; to `redacted` in plain."""
_PASSAGES = """\
The paper's Figure 5 has no numbers: stage 1 leaks more with k, stage 2 stays near nothing."""


def _corpora(part: StudyPart) -> Iterator[str]:
    yield "## Other corpora"
    for compared in part.compared:
        yield from (f"### {compared.corpus}", tables.whole_indexes(compared))
        yield from (tables.attacks_with_five_passages(compared), tables.utility_alone(compared))
        yield tables.reasons(compared)


def _attributes(part: StudyPart) -> Iterator[str]:
    yield from ("## How many attributes", _ATTRIBUTES, choice_tables.attributes(part.compared[0]))


_ATTRIBUTES = """\
m counts those of both sides. Rules keep nearly all sentences, whatever m is, and only sort them
by attribute, so that m changes little here; with a model it decides what is kept."""


def _rounds(part: StudyPart) -> Iterator[str]:
    yield from ("## How many rounds", _ROUNDS)
    yield choice_tables.rounds(part.compared[0], part.drafts)


_ROUNDS = f"""\
With the gate, fewer rewrites cost records, never safety: what it still refuses is quarantined.
The last columns show the drafts as they stand then, used whatever the gate says, as the authors'
code uses drafts that stay unsafe. The paper's average was {paper.ROUNDS} rounds (Table 7)."""


def _calls(part: StudyPart) -> Iterator[str]:
    yield from ("## What savings of model calls cost", _CALLS, choice_tables.calls(part.calls))


_FAULT_LIST = ", ".join(f"{role} {wrong} 1 in {often}" for role, (wrong, often) in FAULTS.items())
_CALLS = f"""\
**With a scripted model, which is no language model; figures of a real one were not obtained.**
It plays every role from the prompt alone and goes wrong by its question's digest ({_FAULT_LIST}),
which decides how often a record is rewritten, and with that the counts. Tokens are estimated
from bytes (three each), at ${PRICE.prompt_per_million} and ${PRICE.completion_per_million} a
million of prompt and answer. The paper: {paper.CALLS} calls, ${paper.COST_PER_RECORD} a record
(Table 7)."""


def _cost(part: StudyPart) -> Iterator[str]:
    yield from ("## What indexing takes", _COST, choice_tables.cost(part))


_COST = """\
`sage-rag index`, from the start of the process to its end; peak resident memory of that process."""

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
                f"* **On `{name}` encryption alone costs agreement**: if no word but the private "
                f"values is changed, it is {share(alone.agreement)}. No rewriting can be expected "
                "to do better."
            )
    if counted:
        yield (
            "* **By the authors' code passages are too like an original**: "
            f"{', '.join(counted)}. It counts recall or precision over 0.5, which a shorter text "
            "in the same order easily reaches; the paper defines F, and the gate holds that."
        )


_LIMITS = """\
* **The rules were developed on `healthcaremagic` and `chatdoctor`**: their utility, agreement and
  quarantine are development figures. `tab` and `squality` show what rules do elsewhere; but how
  dense and lexical scores are weighed was chosen on all four.
* **0 by the gate is not 0 risk.** The gate measures what the table measures; facts remain, since
  they are the use of a record, and who knows a case may know it again.
* The gate holds a draft's ROUGE-L to its own original, an audit before publishing holds it, and
  runs of ten words, to all originals of the corpus: those that the tables compare with. An original
  that somebody else holds is compared with nothing.
* Contact details are looked for as the recogniser finds them in the originals; one that it
  overlooks is not counted. *Marked identifiers* do not depend on it: people marked them. But the
  trained tagger learned from four of five of these judgments: what it covers of those it never
  saw, [tagger](tagger.md) tells.
* An answer is extracted, not generated, and compared with one person's words. Ratios near 1 say
  that as much of the true answer comes through as from the originals, not that the answer is
  good.
* A quarantined record counts as not found, so agreement and known items include its loss.
* Rule agents are no language model: `checklist`, `zerogen` and `attrprompt`, which rules cannot do,
  are missing where they worked. Calls, tokens and dollars are a script's in any case."""
