"""How rightly mentions of one person are linked, on gold spans that say who is who.

    python -m sage_rag.eval.studies.linking --gold tab=tab.jsonl \\
        --gold pii-anon=sample.jsonl --out out.md

Pairs of mentions of people inside one record: *precision*, of the pairs we link, those that the
annotators do; *recall*, the other way round. Pairs that are spelt alike are easy, so those that
differ are counted apart. A span's `entity_id` or `cluster` says who it is; spans without one are
left out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel, ConfigDict

from sage_rag.common.exceptions import SageRagError
from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.environment import Environment, environment
from sage_rag.eval.studies.recognition import gold_argument, gold_rows
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.labels import Scheme, type_of_label
from sage_rag.privacy.people.mentions import link_mentions


class Links(BaseModel):
    """Pairs of one set; `differing` are those spelt in two ways."""

    model_config = ConfigDict(frozen=True)
    name: str
    records: int
    mentions: int
    precision: Proportion
    recall: Proportion
    differing_precision: Proportion
    differing_recall: Proportion


class Linking(BaseModel):
    """The whole study."""

    model_config = ConfigDict(frozen=True)
    command: str
    environment: Environment
    sets: tuple[Links, ...]


@dataclass
class _Count:
    """Pairs: linked by both, by us, by the annotators."""

    both: int = 0
    ours: int = 0
    theirs: int = 0

    def add(self, ours: bool, theirs: bool) -> None:
        self.both += ours and theirs
        self.ours += ours
        self.theirs += theirs


def measure(name: str, records: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Links:
    """Link the mentions of each record, given with the person each is of, and count pairs."""
    every, differing = _Count(), _Count()
    for mentions, who in records:
        numbers = link_mentions(mentions)
        for i, j in combinations(range(len(mentions)), 2):
            pair = numbers[i] == numbers[j], who[i] == who[j]
            every.add(*pair)
            if mentions[i] != mentions[j]:
                differing.add(*pair)
    return Links(
        name=name,
        records=len(records),
        mentions=sum(len(mentions) for mentions, _ in records),
        precision=Proportion.of(every.both, every.ours),
        recall=Proportion.of(every.both, every.theirs),
        differing_precision=Proportion.of(differing.both, differing.ours),
        differing_recall=Proportion.of(differing.both, differing.theirs),
    )


def read_people(path: Path, scheme: Scheme) -> Iterator[tuple[list[str], list[str]]]:
    """Yield each record's mentions of people, with who they are of."""
    for row in gold_rows(path):
        spans = [s for s in row["spans"] if type_of_label(s["label"], scheme) is EntityType.PERSON]
        known = [(row["text"][s["start"] : s["end"]], who) for s in spans if (who := _who(s))]
        if known:
            yield [text for text, _ in known], [who for _, who in known]


def _who(span: Mapping[str, Any]) -> str | None:
    who = span.get("entity_id") or span.get("cluster")
    return None if who is None else str(who)


def markdown(study: Linking) -> str:
    """Return the page: command, environment, table."""
    environment = study.environment
    rows = "\n".join(
        f"| {s.name} | {s.records} | {s.mentions} | {s.precision} | {s.recall} "
        f"| {s.differing_precision} | {s.differing_recall} |"
        for s in study.sets
    )
    return f"""# Mentions of one person

Pairs of mentions inside one record, `privacy.people.mentions` beside annotators. A wrong link gives
two people one stand-in, a missed one only costs sense, so precision counts more.

```
{study.command}
```

Commit {environment.commit}, {environment.date}, {environment.hardware}.

| set | records | mentions | precision | recall | precision, spelt differently | recall, so |
| --- | --- | --- | --- | --- | --- | --- |
{rows}
"""


def main(
    gold: Annotated[list[str], typer.Option(help="SCHEME=PATH of jsonl with spans.")],
    out: Annotated[Path, typer.Option(help="Markdown to write.")],
) -> None:
    """Run the study and write its page."""
    sets = []
    for argument in gold:
        scheme, path = gold_argument(argument)
        sets.append(measure(f"{path.parent.name}/{path.name}", list(read_people(path, scheme))))
    arguments = " ".join(f"--gold {g.partition('=')[0]}={Path(g).name}" for g in gold)
    command = f"python -m sage_rag.eval.studies.linking {arguments} --out {out.name}"
    study = Linking(command=command, environment=environment(), sets=tuple(sets))
    out.write_text(markdown(study), "utf-8")
    typer.echo(markdown(study))


if __name__ == "__main__":
    try:
        typer.run(main)
    except SageRagError as error:
        typer.echo(f"error: {error.message}", err=True)
        sys.exit(error.exit_code)
