"""The page of the study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sage_rag.eval.studies.crypto_llm.arms import (
    ARMS,
    CONTROLS,
    CPT,
    KEY_1,
    KEY_1_WHOLE,
    KEY_10,
    KEY_10_WHOLE,
    KEY_100,
    PLAIN,
)
from sage_rag.eval.studies.crypto_llm.attacks_part import Attacks
from sage_rag.eval.studies.crypto_llm.attacks_part import blocks as attack_blocks
from sage_rag.eval.studies.crypto_llm.attacks_part import findings as attack_findings
from sage_rag.eval.studies.crypto_llm.comparison import (
    Difference,
    difference,
    mean_of_seeds,
    tokens_to_reach,
)
from sage_rag.eval.studies.crypto_llm.curves import HELD_OUT
from sage_rag.eval.studies.crypto_llm.results import ArmResult
from sage_rag.eval.studies.crypto_llm.settings import StudySettings
from sage_rag.eval.studies.crypto_llm.training_tables import training_blocks
from sage_rag.eval.studies.tables import NO_FIGURE, table

TITLE = "Crypto-LLM: what pretraining on ciphertext teaches a small model"
ABOUT = """\
Kobashi et al., Crypto-LLM, pretrain a model of 551 million parameters on text under a
polyalphabetic cipher, continue on plain text, and compare it with models that read plain text
alone. This study repeats the comparison at a size that a CPU trains, with two controls that the
paper lacks.

Three parts of the texts are sensitive, one part is public; the held-out texts are by other authors.
A model reads the sensitive texts in the form that its arm says, then the public ones as they are.
All arms read the same public rows in the same order. `cpt` reads the public texts alone. The
controls read as many tokens as `key-10`: `key-10-shuffled` the tokens of that ciphertext in random
order, `dyck` brackets of 64 kinds that cross (Hu et al. 2502.19249). Where a control gains as
much, the gain does not come from language in the ciphertext. In Hu et al., a model that has read
brackets starts worse and gains after some thousand steps; the second stage here is shorter.

The second stage starts with the attention, MLPs and norms of the first and with new embeddings
(`body`). In the arms `whole`, the new embeddings also have the scale of the trained ones.

The cipher is no encryption: letter frequencies give its key."""

_INTERVALS = """\
An arm is better in a seed if the 95 % interval of its difference, over rows of held-out tokens,
lies below 0. The interval in bits per character is a t interval over seeds; few seeds make it wide.
Where there is one seed, it is the interval over rows, and says nothing about other seeds."""

_Runs = Mapping[int, Mapping[str, ArmResult]]
"""Results by seed and arm."""
_SEEDS_WANTED = 3
_TASKS = (
    "* Tasks of lm-evaluation-harness (the paper's Table 3): their data were not at hand. With "
    "the data: `sage-rag eval tasks HOME/seed-0/key-10/second/model --task piqa --task arc_easy`."
)
_PAPER_AVERAGES = {
    PLAIN.name: 0.428,
    CPT.name: 0.348,
    KEY_1.name: 0.375,
    KEY_10.name: 0.375,
    KEY_100.name: 0.348,
    "scrubbed": 0.431,
}
"""Source: Crypto-LLM, Table 3: average over seven tasks of lm-evaluation-harness."""


def blocks(
    results: Sequence[ArmResult],
    settings: StudySettings,
    plots: Mapping[str, str],
    attacks: Attacks,
) -> Iterator[str]:
    """Yield the blocks of the page. `plots`: the file of each drawing."""
    runs = _by_seed(results)
    found = [*_findings(runs), *attack_findings(attacks, settings)]
    listed = f"{_INTERVALS}\n\n" + "\n".join(found)
    yield "## Findings\n\n" + (listed if found else "The arms to compare have not been run.")
    yield _held_out(runs, plots)
    yield from attack_blocks(attacks, settings)
    yield _setting(settings, results)
    yield from training_blocks(*next(iter(runs.items())), plots)
    yield _missing(runs, attacks)


def _by_seed(results: Sequence[ArmResult]) -> _Runs:
    """Return the results by seed and arm, in the order of the arms."""
    seeds = sorted({result.seed for result in results})
    return {
        seed: {n: r for n in ARMS for r in results if (r.seed, r.name) == (seed, n)}
        for seed in seeds
    }


def _setting(settings: StudySettings, results: Sequence[ArmResult]) -> str:
    shown = {**settings.model_dump(), "parameters": f"{results[0].parameters:,}"}
    return "## Setting\n\n" + table(("setting", "value"), shown.items())


def _findings(runs: _Runs) -> Iterator[str]:
    """Say for each cipher whether it helps, and whether a control does, too."""
    for arm in (KEY_1, KEY_10, KEY_100):
        gains = _differences(runs, arm.name, CPT.name)
        if gains:
            yield f"* `{arm.name}` {_verdict(gains, CPT.name)}{_against_controls(runs, arm.name)}"
    for control in CONTROLS:
        changes = _differences(runs, control.name, CPT.name)
        if changes:
            yield f"* The control `{control.name}` {_verdict(changes, CPT.name)}"
    for body, whole in ((KEY_1, KEY_1_WHOLE), (KEY_10, KEY_10_WHOLE)):
        changes = _differences(runs, whole.name, body.name)
        if changes:
            yield f"* `{whole.name}` {_verdict(changes, body.name)}"


def _verdict(gains: Sequence[Difference], other: str) -> str:
    """Say how an arm differs from another one, over seeds."""
    better, worse = (sum(getattr(g, w) for g in gains) for w in ("is_better", "is_worse"))
    sizes = f"{mean_of_seeds([gain.value for gain in gains], signed=True)} bits per character"
    if len(gains) == 1:
        sizes = f"{gains[0]} bits per character"
    for count, word in ((better, "better"), (worse, "worse")):
        if count == len(gains):
            return f"is {word} than `{other}` in {_seeds(count, len(gains))}: {sizes}."
    counted = f"better than `{other}` in {better} and worse in {_seeds(worse, len(gains))}"
    return f"is {counted}: {sizes}."


def _against_controls(runs: _Runs, name: str) -> str:
    """Say whether an arm that is better than `cpt` is better than the controls, too."""
    if not any(gain.is_better for gain in _differences(runs, name, CPT.name)):
        return ""
    compared = {c.name: _differences(runs, name, c.name) for c in CONTROLS}
    known = {control: gains for control, gains in compared.items() if gains}
    if not known:
        return " The controls have not been run, so it is open whether language is the cause."
    beaten = ", ".join(
        f"`{control}` in {_seeds(sum(g.is_better for g in gains), len(gains))}"
        for control, gains in known.items()
    )
    always = all(gain.is_better for gains in known.values() for gain in gains)
    close = "" if always else " Where it is not, the gain needs no language."
    missing = [f"`{control}`" for control in compared if control not in known]
    more = f" {' and '.join(missing)} has not been run." if missing else ""
    return f" It is better than the control {beaten}.{close}{more}"


def _differences(runs: _Runs, name: str, other: str) -> list[Difference]:
    """Return one arm minus another one, in each seed that has both."""
    if name == other:
        return []
    return [
        difference(arms[name], arms[other])
        for arms in runs.values()
        if name in arms and other in arms
    ]


def _seeds(count: int, of: int) -> str:
    return f"{count} of {of} seed{'s' * (of > 1)}"


def _held_out(runs: _Runs, plots: Mapping[str, str]) -> str:
    titles = (
        *("arm", "seed", "bits per character", "minus `cpt` (95 %)"),
        *(f"minus `{control.name}` (95 %)" for control in CONTROLS),
        *("tokens to reach `cpt`", "saved", "paper, tasks"),
    )
    rows = [row for seed, arms in runs.items() for row in _held_out_rows(seed, arms)]
    text = (
        "By seed. Lower is better. The intervals are over rows of held-out tokens "
        "(paired bootstrap) and do not cover the seed. `tokens to reach cpt`: tokens of the "
        "second stage after which the arm is as good as `cpt` at its end; the learning rate has "
        "not fallen there yet, so this understates the saving. The paper's figure is another "
        f"measure: its average over seven tasks, higher is better.\n\n{table(titles, rows)}"
    )
    drawing = f"![bits per character]({plots[HELD_OUT]})" if HELD_OUT in plots else ""
    return "\n\n".join(filter(None, ["## Held-out authors", _seed_means(runs), text, drawing]))


def _held_out_rows(seed: int, arms: Mapping[str, ArmResult]) -> Iterator[tuple[object, ...]]:
    base = arms.get(CPT.name)
    for name, run in arms.items():
        needed = tokens_to_reach(run, base.last.bits_per_character) if base else None
        saved = NO_FIGURE if needed is None else f"{1 - needed / run.second.targets:.0%}"
        yield (
            f"{name} ({ARMS[name].title})",
            seed,
            f"{run.last.bits_per_character:.3f}",
            *(_compared(run, arms.get(other.name)) for other in (CPT, *CONTROLS)),
            "never" if needed is None else f"{needed:,.0f}",
            saved,
            _PAPER_AVERAGES.get(name, NO_FIGURE),
        )


def _compared(run: ArmResult, other: ArmResult | None) -> object:
    return NO_FIGURE if other is None or other is run else difference(run, other)


def _seed_means(runs: _Runs) -> str:
    if len(runs) < 2:
        return ""
    rows = [
        (
            name,
            len(bits),
            mean_of_seeds(bits),
            *(
                mean_of_seeds([d.value for d in found], signed=True) if found else NO_FIGURE
                for found in (_differences(runs, name, other.name) for other in (CPT, *CONTROLS))
            ),
        )
        for name in ARMS
        if (bits := [a[name].last.bits_per_character for a in runs.values() if name in a])
    ]
    compared = (f"minus `{arm.name}`" for arm in (CPT, *CONTROLS))
    return "Mean over seeds, with a 95 % t interval. Lower is better.\n\n" + table(
        ("arm", "seeds", "bits per character", *compared), rows
    )


def _missing(runs: _Runs, attacks: Attacks) -> str:
    lines = [
        f"* Seed {seed}: {', '.join(f'`{n}`' for n in ARMS if n not in arms)}"
        for seed, arms in runs.items()
        if len(arms) < len(ARMS)
    ]
    whole = sum(len(arms) == len(ARMS) for arms in runs.values())
    if whole < _SEEDS_WANTED:
        lines.append(f"* All arms: {whole} of {_SEEDS_WANTED} seeds.")
    if not attacks.models:
        lines.append("* Attacks on the models (`--attacks`).")
    if not attacks.repeated:
        lines.append("* Attacks on models that read records very often (`--repeated`).")
    lines += [_TASKS, "* The comparison at 20 and 551 million parameters."]
    return "## What has not been run\n\n" + "\n".join(lines)
