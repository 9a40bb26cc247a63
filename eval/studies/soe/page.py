"""The page of the study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from sage_rag.eval.studies.soe import (
    ciphers_page,
    ciphers_part,
    leakage_part,
    main_page,
    main_part,
    retrieval_page,
    retrieval_part,
    tuples_part,
)
from sage_rag.eval.studies.soe.leakage_part import LeakageFigures
from sage_rag.eval.studies.soe.results import RunResult
from sage_rag.eval.studies.soe.retrieval_part import RetrievalFigures
from sage_rag.eval.studies.soe.settings import FULL, StudySettings
from sage_rag.eval.studies.tables import table

TITLE = "SoE: what a small model learns from encrypted texts"
ABOUT = """\
Liu et al. (2025), SoE, continue the pretraining of a model on texts in which names and values are
encrypted, and ask it encrypted questions. This study repeats the comparison at a size that two
cores train: the persons are invented, so no model knows them beforehand, and every question has
four options of one kind, so guessing gives 25 %. Wrong options are values of other tested persons.

The base model is schooled on other invented persons, plain and under another key, with questions in
the same forms: a model of this size cannot answer otherwise. Each arm continues from it on the
texts of the corpus: `orig` and `encO` read one text per person again and again, `synt` and `encS`
read differently worded texts from the study's generator, at equal numbers of steps (`orig` as
`synt`, `encO` as `encS`). All arms read the question-answer pairs of the other half of the corpus's
persons, and are asked about the half whose questions no arm has read. `PL`: names and places alone
are encrypted. `noEncQ`: an encrypted arm is asked in plain words.

Two choices decide whether anything is seen at this size. Wrong options are values of tested persons
alone: among the values of all persons, a model prefers those that it has read as answers, and falls
below 25 %. The base model reads codebook tokens under another key, as a large model has read
identifiers: in a trial from a base without them, with each token as one new word of the vocabulary,
the encrypted arm was still guessing after a third of its tokens, and the trial was stopped. Values
repeat among persons, so questions are not fully independent: a model that knows nothing can differ
from 25 % by more than the test against guessing allows. The paired comparison with the base is the
test that counts.

A seed of part `main` trains on 8.9 million tokens. One idle core trains 9,400 tokens per second, so
this takes 16 minutes there: base 5, encS and encO 3 each, encS-PL 2, synt and orig 1 each. The
minutes in the tables are of cores that other work shared. `--small` trains three arms on a fifth
of the tokens. `--part main ciphers tuples retrieval leakage --seeds 0 1 2` measures all that a home
folder lacks; an empty `--part` writes the page from what it holds. The tables sum to 128 minutes of
training for three seeds of part `main`; the other parts have one seed each. A synthetic arm has 40
texts per person; the generator can write 100.

In part `main` every synthetic arm is at the ceiling, so it does not show what a cipher or the
length of tuples costs. The parts `ciphers` and `tuples` read less, so that accuracy is between
guessing and the ceiling. A first trial of `ciphers` (10 texts of five sentences, twice) had 400 of
400 for the codebook, and 198 of 400 for SIV, whose texts were longer than a row and were split;
so its texts are single sentences now."""

_FINDINGS = """\
## What was found

* **Facts are learned from encrypted texts.** In each seed, `encS` answers all encrypted questions
  about persons of whom it has read no question, and plain questions no better than `base`.
* **Rewording helps** at equal tokens: `synt` is above `orig`, and `encS` above `encO`.
* `encO` is far above `base` here (.91 to .94, against .24 to .28), where the paper finds it no
  better. The corpora differ: ours is one text per person, read again and again.
* **ECB is learned from fewer texts than SIV** (one seed): after six sentences for each fact, ECB
  (35 tokens a value) gives more correct answers than SIV (58), in fewer steps. The codebook (9) is
  ahead of both, but the base had read texts under it. Few tokens are not enough: the codebook's
  words as new tokens of the vocabulary (3 a value) are the worst, with the fewest steps and
  embeddings that no text had trained. After two sentences the differences are smaller. By
  generation, where every token of a ciphertext has to be right, codebook, ECB and SIV keep their
  order at larger ratios: 181, 69 and 14 of 400 after six sentences.
* **Longer tuples give higher accuracy** at equal numbers of samples and steps (one seed), where the
  texts of every length state all facts but two: from pairs to ten entities, 172 to 217 of 400
  encrypted questions are answered correctly (Fisher's exact test: p = 0.002), and 260 to 324 plain
  ones (p < 1e-6). Texts of longer tuples have more tokens, so equal steps read them less often. In
  the paper, too, the longest are best, but 8 is below 6.
* EntiGraph, which takes pairs and triples in turn, is at the level of the pairs and triples of
  `soe` (179 and 270 of 400), though its texts state only 349 of the facts.
* **Retrieval** (one seed): a chunk that states the fact is among the first four for all encrypted
  questions, and for 380 to 398 of 400 plain ones. From encrypted chunks, the extractive answerer
  gives most correct answers at 128 tokens (261 of 400 without a reranker) and fewer the longer they
  are (156 at 1024), as the paper finds for its models; from plain ones there is no such trend after
  128. The reranker does not help it (-11 to +2 answers of 400). Nor does retrieval help `base` (99
  to 120 of 400).
* **Encryption only after the synthesis** leaves 0 of 14,171 mentions in clear, encryption before it
  0 of 14,280 (one seed); from documents with a sentence for each fact it left 1 of 11,587. The
  sentences have few forms: this is no figure for other texts.
* What encryption as such costs is not separated. In part `main`, `synt` and `encS` are both at the
  ceiling by likelihood, and `encS` takes twice as many steps; in part `tuples`, plain texts are
  ahead at equal steps, but they are shorter, so a model reads them more often."""
_GPU = """\
## GPU

Three seeds of part `main` at 20 million parameters (`--large`: width 448, 8 layers), on one NVIDIA
H200, one process a seed, at the same time (commit a0a35e5, 2026-11-27, torch 2.11.0): 2 minutes of
training a seed, 3.5 with questions. Correct of 400, by likelihood, and by generation in brackets:

| seed | base | orig | encO | synt | encS | encS-PL | noEncQ (encS) |
| --- | --- | --- | --- | --- | --- | --- | --- |
| 0 | 107 (5) | 377 (262) | 387 (358) | 400 (400) | 400 (400) | 400 (400) | 96 (0) |
| 1 | 84 (3) | 361 (180) | 382 (354) | 400 (399) | 400 (400) | 400 (400) | 91 (0) |
| 2 | 106 (4) | 377 (240) | 386 (343) | 400 (400) | 400 (400) | 400 (400) | 98 (0) |

The order of the arms is that of 2 million parameters. Of the ciphertexts that `encS` writes, 38 of
3,600 (1.1 %, 95 %: 0.7 to 1.4 %) fail.

`benchmarks/pretraining.py` on the same H200, compiled, in bfloat16, rows of 2,048 tokens, against
989 TFLOP/s of the data sheet: 120 million parameters 304,000 and 328,000 tokens per second with 8
and 16 rows (MFU 31 and 34 %), 551 million 94,000 and 111,000 with 2 and 4 (34 and 41 %). More rows
were not reached in the time that there was. `train cpt` on 2.9 million tokens of novels (width
768, 8 layers, not compiled, next to the studies), killed after some 100 steps and continued:
median 206,000 tokens per second with the mask, 231,000 with flex attention, whose losses differ
from it by at most 0.65 % over 731 steps.

What follows was not measured: SIV and ECB at 20 million parameters, and the paper's own setting.

```
python -m sage_rag.eval.studies soe --home large --large --part ciphers tuples \\
    --seeds 0 1 2 --out large.md
# its texts: what `sage-rag synthesize` writes
sage-rag train cpt --example soe_llama3_8b > soe.toml
torchrun --nproc-per-node 8 --no-python sage-rag train cpt --config soe.toml
```"""


def blocks(
    results: Sequence[RunResult],
    leakage: Sequence[LeakageFigures],
    retrieval: Sequence[RetrievalFigures],
    settings: StudySettings,
) -> Iterator[str]:
    """Yield the blocks of the page, and which parts have not been run."""
    missing = list(_missing(results, leakage, retrieval, settings))
    if settings == FULL and not missing:
        yield _FINDINGS
    yield _setting(settings)
    yield from main_page.blocks(results)
    yield from ciphers_page.blocks(results)
    yield from tuples_part.blocks(results)
    yield from retrieval_page.blocks(retrieval)
    yield from leakage_part.blocks(leakage)
    yield from missing
    yield _GPU


def _setting(settings: StudySettings) -> str:
    shown = settings.model_dump()
    rows = [
        (name, ", ".join(map(str, value)) if isinstance(value, tuple) else value)
        for name, value in shown.items()
    ]
    return "## Setting\n\n" + table(("setting", "value"), rows)


def _missing(
    results: Sequence[RunResult],
    leakage: Sequence[LeakageFigures],
    retrieval: Sequence[RetrievalFigures],
    settings: StudySettings,
) -> Iterator[str]:
    ran = {(result.part, result.name) for result in results}
    wanted = {
        main_part.PART: settings.arms,
        ciphers_part.PART: ciphers_part.names(settings),
        tuples_part.PART: tuples_part.NAMES,
    }
    missing = [
        f"* Part `{part}`: {', '.join(f'`{n}`' for n in names if (part, n) not in ran)}"
        for part, names in wanted.items()
        if any((part, name) not in ran for name in names)
    ]
    main = Counter(result.seed for result in results if result.part == main_part.PART)
    whole = sum(count == len(wanted[main_part.PART]) for count in main.values())
    if whole < _SEEDS_WANTED:
        missing.append(f"* All main arms: {whole} of {_SEEDS_WANTED} seeds.")
    if not leakage:
        missing.append("* Part `leakage`.")
    measured = len({(f.chunk_tokens, f.spelling, f.reranker) for f in retrieval})
    if measured < retrieval_part.COMBINATIONS:
        missing.append(
            f"* Part `retrieval`: {measured} of {retrieval_part.COMBINATIONS} combinations of "
            "length, spelling and reranker have been measured."
        )
    if missing:
        yield "## What has not been run\n\n" + "\n".join(missing)


_SEEDS_WANTED = 3
