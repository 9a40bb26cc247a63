"""What the arms read in training: losses, tokens, entropies, n-grams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sage_rag.eval.studies.crypto_llm.arms import ARMS, CONTROLS, KEY_1, KEY_10, KEY_100, PLAIN
from sage_rag.eval.studies.crypto_llm.curves import FIRST_STAGE
from sage_rag.eval.studies.crypto_llm.ngrams import LONGEST
from sage_rag.eval.studies.crypto_llm.results import ArmResult
from sage_rag.eval.studies.tables import NO_FIGURE, table

_PAPER_TOKENS = {PLAIN.name: 0.228, KEY_1.name: 0.229, KEY_10.name: 0.304, KEY_100.name: 0.412}
"""Source: Crypto-LLM, Table 2."""
_PAPER_ENTROPIES = {
    PLAIN.name: (10.760, 7.373, 4.608, 2.106),
    KEY_1.name: (10.756, 7.372, 4.614, 2.109),
    KEY_10.name: (12.276, 7.233, 4.116, 1.839),
    KEY_100.name: (12.446, 8.049, 3.741, 1.624),
}
"""Source: Crypto-LLM, Table 8."""
_PAPER_NGRAMS = {
    PLAIN.name: (
        (30_941, 0.497, 137),
        (7_621_231, 0.528, 3_537),
        (32_360_899, 0.245, 65_234),
        (55_167_510, 0.098, 415_157),
    ),
    KEY_1.name: (
        (28_598, 0.486, 139),
        (7_513_612, 0.531, 3_593),
        (32_294_297, 0.246, 66_103),
        (55_300_622, 0.098, 419_899),
    ),
    KEY_10.name: (
        (31_059, 0.362, 413),
        (9_135_218, 0.497, 9_896),
        (43_434_828, 0.225, 148_247),
        (74_685_311, 0.088, 883_526),
    ),
    KEY_100.name: (
        (31_281, 0.384, 668),
        (11_047_697, 0.453, 18_989),
        (57_778_692, 0.216, 280_586),
        (97_770_052, 0.093, 1_607_419),
    ),
}
"""Different n-grams, distance to uniform, effective size, by n. Source: Crypto-LLM, Table 9."""


def training_blocks(
    seed: int, arms: Mapping[str, ArmResult], plots: Mapping[str, str]
) -> Iterator[str]:
    """Yield the tables of one seed. `plots`: the file of each drawing."""
    yield _training(seed, arms, plots)
    yield _entropies(arms)
    yield _ngrams(arms)


def _training(seed: int, arms: Mapping[str, ArmResult], plots: Mapping[str, str]) -> str:
    titles = (
        *("arm", "stage", "tokens of the texts", "times each is read", "steps"),
        *("loss at the end", "tokens per character", "paper", "tokens per second"),
    )
    rows = [
        (
            name,
            stage,
            f"{figures.corpus_tokens:,}",
            f"{figures.times_read:.2f}",
            f"{figures.steps:,}",
            f"{figures.curve[-1][1]:.3f}",
            f"{figures.tokens_per_character:.3f}" if has_characters else NO_FIGURE,
            _PAPER_TOKENS.get(name, NO_FIGURE) if stage == "first" else NO_FIGURE,
            f"{figures.targets / figures.seconds:,.0f}",
        )
        for name, run in arms.items()
        for stage, figures, has_characters in (
            ("first", run.first, ARMS[name] not in CONTROLS),
            ("second", run.second, True),
        )
        if figures is not None
    ]
    text = (
        f"## Training\n\nThis and the following tables are those of seed {seed}. Losses are in "
        "nats per token; tokens differ between ciphers, so losses of first stages compare loosely, "
        "as in the paper's Figure 4. A canary is read as often as it is planted; every other text "
        f"as often as the table says. The steps of these arms took {_minutes(arms):.0f} minutes "
        f"in all.\n\n{table(titles, rows)}"
    )
    drawing = (
        f"\n\n![loss of the first stage]({plots[FIRST_STAGE]})" if FIRST_STAGE in plots else ""
    )
    return text + drawing


def _minutes(arms: Mapping[str, ArmResult]) -> float:
    """Return how long all steps took; a first stage that two arms share counts once."""
    own = [run.first for name, run in arms.items() if run.first and ARMS[name].first_of is None]
    return sum(stage.seconds for stage in (*own, *(run.second for run in arms.values()))) / 60


def _entropies(arms: Mapping[str, ArmResult]) -> str:
    titles = ("arm", "tokens", *(f"n = {n}" for n in range(1, LONGEST + 1)), "paper")
    rows = [
        (
            name,
            f"{run.first.corpus_tokens:,}",
            *(f"{found.conditional_entropy:.3f}" for found in run.ngrams),
            ", ".join(f"{h:.2f}" for h in _PAPER_ENTROPIES.get(name, ())) or NO_FIGURE,
        )
        for name, run in arms.items()
        if run.first is not None
    ]
    return (
        "## Entropies\n\nBits of a token given the n - 1 before it (the paper's Table 8). From "
        "n = 3 on, a short text gives low figures, since most n-grams occur once; the paper's "
        f"texts are longer and its vocabulary larger.\n\n{table(titles, rows)}"
    )


def _ngrams(arms: Mapping[str, ArmResult]) -> str:
    titles = (
        *("arm", "n", "different n-grams", "paper", "distance to uniform", "paper"),
        *("effective", "paper"),
    )
    rows = [
        (
            name,
            found.n,
            f"{found.unique:,}",
            unique,
            f"{found.distance_to_uniform:.3f}",
            distance,
            NO_FIGURE if found.effective is None else f"{found.effective:,.0f}",
            effective,
        )
        for name, run in arms.items()
        for found in run.ngrams
        for unique, distance, effective in [_paper_ngrams(name, found.n)]
    ]
    return (
        "## n-grams\n\nThe paper's Table 9. Distance to uniform: Jensen-Shannon, base e. "
        "Effective: inverse of the probability that two drawn n-grams are equal. The paper reads "
        "more text with a larger vocabulary, so its numbers of n-grams are larger.\n\n"
        + table(titles, rows)
    )


def _paper_ngrams(name: str, n: int) -> tuple[str, str, str]:
    if name not in _PAPER_NGRAMS:
        return NO_FIGURE, NO_FIGURE, NO_FIGURE
    unique, distance, effective = _PAPER_NGRAMS[name][n - 1]
    return f"{unique:,}", f"{distance:.3f}", f"{effective:,}"
