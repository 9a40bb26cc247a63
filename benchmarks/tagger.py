"""Time the tagger against its encoder, on your own corpus.

    python benchmarks/tagger.py CORPUS.jsonl [--texts 400] [--chars 900] [--precision int8]

Each line of the corpus is an object; its strings are the text. All texts have `--chars` characters.
These run in one process, in turn within every pass:

- the baseline: MiniLM alone in `transformers`, in single precision, in batches of 32 texts;
- the tagger, many texts at once; the tagger, one text at a time; the whole default recognizer.

`--precision` shows what processors without this one's instructions do: `int8` needs VNNI, `float32`
nothing. Only the tagger's network changes. To withhold from torch what such processors lack, set
`ONEDNN_MAX_CPU_ISA=AVX512_CORE_VNNI` (or `AVX2`, with `MKL_ENABLE_INSTRUCTIONS=AVX2` and
`ATEN_CPU_CAPABILITY=avx2`) as well.

Also measured: the latency of messages of 200 characters, one at a time (median, 95th percentile).
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from unittest import mock

import torch
from timing import median_s, records_as_text
from transformers import BertModel, PreTrainedTokenizerFast

from sage_rag.common.minilm.base import base_folder
from sage_rag.common.minilm.precision import Precision, fastest_precision
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.recognizers.tagging.tagger import TaggerRecognizer

Step = Callable[[Sequence[str]], object]
_PRECISION = "sage_rag.common.minilm.model.fastest_precision"
_BATCH = 32
_MESSAGE_CHARS = 200


def texts_of(path: Path, count: int, chars: int) -> list[str]:
    """Return `count` texts of `chars` characters, cut from all records in order."""
    whole = "\n".join(records_as_text(path))
    return [whole[i * chars : (i + 1) * chars] for i in range(min(count, len(whole) // chars))]


def minilm() -> Step:
    """Return a step that runs the encoder alone."""
    model = BertModel.from_pretrained(base_folder(), add_pooling_layer=False)
    model.eval()  # type: ignore[no-untyped-call]
    tokenizer = PreTrainedTokenizerFast.from_pretrained(base_folder())

    def step(texts: Sequence[str]) -> object:
        for start in range(0, len(texts), _BATCH):
            batch = list(texts[start : start + _BATCH])
            rows = tokenizer(batch, padding=True, truncation=True, max_length=512)
            with torch.inference_mode():
                model(**{name: torch.tensor(row) for name, row in rows.items()})
        return None

    return step


def one_by_one(recognize: Callable[[str], object]) -> Step:
    """Return a step that reads each text alone."""
    return lambda texts: [recognize(text) for text in texts]


def rates(steps: dict[str, Step], texts: Sequence[str], passes: int) -> dict[str, float]:
    """Return texts per second by name: medians of the passes."""
    for step in steps.values():
        step(texts[:_BATCH])
    times = median_s({name: partial(step, texts) for name, step in steps.items()}, passes)
    return {name: len(texts) / seconds for name, seconds in times.items()}


def latencies(recognize: Callable[[str], object], messages: Sequence[str]) -> tuple[float, float]:
    """Return the median and the 95th percentile of milliseconds per message."""
    spent = []
    for message in messages:
        started = time.perf_counter()
        recognize(message)
        spent.append((time.perf_counter() - started) * 1000)
    return statistics.median(spent), statistics.quantiles(spent, n=20)[-1]


def processor() -> str:
    """Return the name of this machine's processor."""
    rows = Path("/proc/cpuinfo").read_text().splitlines()
    return next(row.partition(": ")[2] for row in rows if row.startswith("model name"))


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description="Time the tagger.")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--texts", type=int, default=400)
    parser.add_argument("--chars", type=int, default=900)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--precision", type=Precision, default=fastest_precision())
    options = parser.parse_args()
    with mock.patch(_PRECISION, return_value=options.precision):
        figures = measure(options)
    print(json.dumps(figures, indent=1))


def measure(options: argparse.Namespace) -> dict[str, object]:
    """Return the figures by name."""
    texts = texts_of(options.corpus, options.texts, options.chars)
    messages = texts_of(options.corpus, options.texts, _MESSAGE_CHARS)
    tagger, default = TaggerRecognizer(), default_recognizer()
    timed: dict[str, Step] = {
        "MiniLM alone, single precision": minilm(),
        "tagger, all at once": tagger.recognize_all,
        "tagger, one by one": one_by_one(tagger.recognize),
        "default recognizer, one by one": one_by_one(default.recognize),
    }
    found = rates(timed, texts, options.passes)
    base = next(iter(found.values()))
    return {
        "texts": len(texts),
        "chars": options.chars,
        "texts_per_second": {name: round(rate, 1) for name, rate in found.items()},
        "ratio_to_minilm": {name: round(rate / base, 2) for name, rate in found.items()},
        "message_chars": _MESSAGE_CHARS,
        "milliseconds_p50_p95": {
            "tagger": [round(x, 2) for x in latencies(tagger.recognize, messages)],
            "default recognizer": [round(x, 2) for x in latencies(default.recognize, messages)],
        },
        "peak_memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "precision": options.precision,
        "threads": torch.get_num_threads(),
        "torch": version("torch"),
        "processor": processor(),
    }


if __name__ == "__main__":
    main()
