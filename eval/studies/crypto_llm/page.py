"""The page of the study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sage_rag.eval.studies.crypto_llm.arms import ARMS, CONTROLS, CPT, KEY_1, KEY_10, KEY_100, PLAIN
from sage_rag.eval.studies.crypto_llm.comparison import (
    difference,
    mean_of_seeds,
    tokens_to_reach,
)
from sage_rag.eval.studies.crypto_llm.curves import FIRST_STAGE, HELD_OUT
from sage_rag.eval.studies.crypto_llm.ngrams import LONGEST
from sage_rag.eval.studies.crypto_llm.results import ArmResult
from sage_rag.eval.studies.crypto_llm.settings import StudySettings
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
order, `dyck` brackets of 64 kinds that cross (Hu et al. 2502.19249). A gain that a control shows,
too, is no sign of language learned from ciphertext. In Hu et al., a model that has read brackets
starts worse and gains after some thousand steps; the second stage here is shorter. It keeps
attention, MLPs and norms of the first (`body`); in the arms `whole`, also the scale of the
embeddings.

The cipher is no encryption: letter frequencies give its key."""

_SEEDS_WANTED = 3
_PAPER_TOKENS = {PLAIN.name: 0.228, KEY_1.name: 0.229, KEY_10.name: 0.304, KEY_100.name: 0.412}
"""Source: Crypto-LLM, Table 2."""
_PAPER_ENTROPIES = {
    PLAIN.name: (10.760, 7.373, 4.608, 2.106),
    KEY_1.name: (10.756, 7.372, 4.614, 2.109),
    KEY_10.name: (12.276, 7.233, 4.116, 1.839),
    KEY_100.name: (12.446, 8.049, 3.741, 1.624),
}
"""Source: Crypto-LLM, Table 8."""
_PAPER_DISTANCES = {
    PLAIN.name: (0.497, 0.528, 0.245, 0.098),
    KEY_1.name: (0.486, 0.531, 0.246, 0.098),
    KEY_10.name: (0.362, 0.497, 0.225, 0.088),
    KEY_100.name: (0.384, 0.453, 0.216, 0.093),
}
"""Source: Crypto-LLM, Table 9."""
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
    attacks: Sequence[str],
) -> Iterator[str]:
    """Yield the blocks of the page. `plots`: the file of each drawing. `attacks`: their blocks."""
    runs = _by_seed(results)
    yield _setting(settings, results)
    yield _findings(runs)
    yield _held_out(runs, plots)
    yield from attacks
    yield _first_stage(runs, plots)
    yield _entropies(runs)
    yield _ngrams(runs)
    yield _missing(runs, attacked=bool(attacks))


def _by_seed(results: Sequence[ArmResult]) -> dict[int, dict[str, ArmResult]]:
    """Return the results by seed and arm, in the order of the arms."""
    seeds = sorted({result.seed for result in results})
    return {
        seed: {n: r for n in ARMS for r in results if (r.seed, r.name) == (seed, n)}
        for seed in seeds
    }


def _setting(settings: StudySettings, results: Sequence[ArmResult]) -> str:
    shown = {**settings.model_dump(), "parameters": f"{results[0].parameters:,}"}
    return "## Setting\n\n" + table(("setting", "value"), shown.items())


def _findings(runs: Mapping[int, Mapping[str, ArmResult]]) -> str:
    lines = [
        line
        for seed, arms in runs.items()
        for line in (*_seed_findings(seed, arms), *_control_findings(seed, arms))
    ]
    return "## Findings\n\n" + ("\n".join(lines) or "The arms to compare have not been run.")


def _seed_findings(seed: int, arms: Mapping[str, ArmResult]) -> Iterator[str]:
    base = arms.get(CPT.name)
    controls = [arms[control.name] for control in CONTROLS if control.name in arms]
    for arm in (KEY_1, KEY_10, KEY_100):
        if base is None or arm.name not in arms:
            continue
        run = arms[arm.name]
        gain = difference(run, base)
        verdict = "is better than" if gain.is_better else "is not better than"
        sentence = f"* Seed {seed}: `{arm.name}` {verdict} `cpt`: {gain} bits per character."
        if gain.is_better:
            beaten = [c.name for c in controls if difference(run, c).is_better]
            others = [c.name for c in controls if c.name not in beaten]
            sentence += _controls_sentence(beaten, others)
        yield sentence


def _control_findings(seed: int, arms: Mapping[str, ArmResult]) -> Iterator[str]:
    """Say what the controls alone do: where they harm, `cpt` is the stricter comparison."""
    base = arms.get(CPT.name)
    for control in CONTROLS:
        if base is not None and control.name in arms:
            change = difference(arms[control.name], base)
            verdict = "is not different from"
            if change.is_better or change.is_worse:
                verdict = "is better than" if change.is_better else "is worse than"
            yield f"* Seed {seed}: the control `{control.name}` {verdict} `cpt`: {change}."


def _controls_sentence(beaten: Sequence[str], others: Sequence[str]) -> str:
    if not beaten and not others:
        return " The controls have not been run, so it is open whether language is the cause."
    if others:
        names = " and ".join(f"`{name}`" for name in others)
        return f" It is not better than the control {names}, so the gain needs no language."
    names = " and ".join(f"`{name}`" for name in beaten)
    if len(beaten) < len(CONTROLS):
        return f" It is better than the control {names}; the other one has not been run."
    return f" It is better than the controls {names}, too."


def _held_out(runs: Mapping[int, Mapping[str, ArmResult]], plots: Mapping[str, str]) -> str:
    titles = (
        *("arm", "seed", "bits per character", "minus `cpt` (95 %)"),
        *(f"minus `{control.name}` (95 %)" for control in CONTROLS),
        *("tokens to reach `cpt`", "saved", "paper, tasks"),
    )
    rows = [row for seed, arms in runs.items() for row in _held_out_rows(seed, arms)]
    text = (
        "## Held-out authors\n\nLower is better. The intervals are over rows of held-out tokens "
        "(paired bootstrap) and do not cover the seed. `tokens to reach cpt`: tokens of the "
        "second stage after which the arm is as good as `cpt` at its end; the learning rate has "
        "not fallen there yet, so this understates the saving. The paper's figure is another "
        f"measure: its average over seven tasks, higher is better.\n\n{table(titles, rows)}"
    )
    seeds = _seed_means(runs)
    drawing = f"![bits per character]({plots[HELD_OUT]})" if HELD_OUT in plots else ""
    return "\n\n".join(filter(None, [text, seeds, drawing]))


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


def _seed_means(runs: Mapping[int, Mapping[str, ArmResult]]) -> str:
    if len(runs) < 2:
        return ""
    rows = []
    for name in ARMS:
        bits = [arms[name].last.bits_per_character for arms in runs.values() if name in arms]
        gains = [
            difference(arms[name], arms[CPT.name]).value
            for arms in runs.values()
            if name in arms and CPT.name in arms
        ]
        if bits:
            rows.append((name, len(bits), mean_of_seeds(bits), mean_of_seeds(gains or [0.0])))
    return "Mean over seeds, with a 95 % t interval:\n\n" + table(
        ("arm", "seeds", "bits per character", "minus `cpt`"), rows
    )


def _first_stage(runs: Mapping[int, Mapping[str, ArmResult]], plots: Mapping[str, str]) -> str:
    titles = (
        *("arm", "seed", "stage", "tokens of the texts", "times each is read", "steps"),
        *("loss at the end", "tokens per character", "paper", "tokens per second"),
    )
    rows = [
        (
            name,
            seed,
            stage,
            f"{figures.corpus_tokens:,}",
            f"{figures.times_read:.2f}",
            f"{figures.steps:,}",
            f"{figures.curve[-1][1]:.3f}",
            f"{figures.tokens_per_character:.3f}" if has_characters else NO_FIGURE,
            _PAPER_TOKENS.get(name, NO_FIGURE) if stage == "first" else NO_FIGURE,
            f"{figures.targets / figures.seconds:,.0f}",
        )
        for seed, arms in runs.items()
        for name, run in arms.items()
        for stage, figures, has_characters in (
            ("first", run.first, ARMS[name] not in CONTROLS),
            ("second", run.second, True),
        )
        if figures is not None
    ]
    text = (
        "## Training\n\nLosses are in nats per token; tokens differ between ciphers, so losses of "
        "first stages compare loosely, as in the paper's Figure 4. A canary is read as often as it "
        f"is planted; every other text as often as the table says.\n\n{table(titles, rows)}"
    )
    drawing = (
        f"\n\n![loss of the first stage]({plots[FIRST_STAGE]})" if FIRST_STAGE in plots else ""
    )
    return text + drawing


def _entropies(runs: Mapping[int, Mapping[str, ArmResult]]) -> str:
    titles = ("arm", "seed", "tokens", *(f"n = {n}" for n in range(1, LONGEST + 1)), "paper")
    rows = [
        (
            name,
            seed,
            f"{run.first.corpus_tokens:,}",
            *(f"{found.conditional_entropy:.3f}" for found in run.ngrams),
            ", ".join(f"{h:.2f}" for h in _PAPER_ENTROPIES.get(name, ())) or NO_FIGURE,
        )
        for seed, arms in runs.items()
        for name, run in arms.items()
        if run.first is not None
    ]
    return (
        "## Entropies\n\nBits of a token given the n - 1 before it (the paper's Table 8). From "
        "n = 3 on, a short text gives low figures, since most n-grams occur once; the paper's "
        f"texts are longer and its vocabulary larger.\n\n{table(titles, rows)}"
    )


def _ngrams(runs: Mapping[int, Mapping[str, ArmResult]]) -> str:
    titles = ("arm", "seed", "n", "different n-grams", "distance to uniform", "paper", "effective")
    rows = [
        (
            name,
            seed,
            found.n,
            f"{found.unique:,}",
            f"{found.distance_to_uniform:.3f}",
            _PAPER_DISTANCES[name][found.n - 1] if name in _PAPER_DISTANCES else NO_FIGURE,
            NO_FIGURE if found.effective is None else f"{found.effective:,.0f}",
        )
        for seed, arms in runs.items()
        for name, run in arms.items()
        for found in run.ngrams
    ]
    return (
        "## n-grams\n\nThe paper's Table 9. Distance to uniform: Jensen-Shannon, base e. "
        "Effective: inverse of the probability that two drawn n-grams are equal.\n\n"
        + table(titles, rows)
    )


def _missing(runs: Mapping[int, Mapping[str, ArmResult]], *, attacked: bool) -> str:
    lines = [
        f"* Seed {seed}: {', '.join(f'`{n}`' for n in ARMS if n not in arms)}"
        for seed, arms in runs.items()
        if len(arms) < len(ARMS)
    ]
    whole = sum(len(arms) == len(ARMS) for arms in runs.values())
    if whole < _SEEDS_WANTED:
        lines.append(f"* All arms: {whole} of {_SEEDS_WANTED} seeds.")
    if not attacked:
        lines.append("* Attacks on the models (`--attacks`).")
    lines.append(
        "* Tasks of lm-evaluation-harness: neither the package nor its data is part of the study."
    )
    lines.append("* 20 and 551 million parameters: no GPU was at hand.")
    return "## What has not been run\n\n" + "\n".join(lines)
