"""Measure tokens per second and MFU of continual pretraining for sizes of batches and precisions.

    python benchmarks/pretraining.py [--threads 1] [--rows 4 8 16] [--vocabulary 2048]

One line per setting: the best of a few steps, which is the rate on an idle machine. Compiling is
timed apart. The rows are full of random tokens, four documents each.
"""

from __future__ import annotations

import argparse
import itertools
import time

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM

from sage_rag.training.pretraining.metrics import Peak, flops_per_token, peak_of
from sage_rag.training.pretraining.model import loss_sum
from sage_rag.training.pretraining.packing import NO_TARGET, Batch

DOCUMENTS_PER_ROW = 4


def main() -> None:
    arguments = parsed()
    torch.set_num_threads(arguments.threads)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    peaks = {name: peak_of(device, getattr(torch, name)) for name in arguments.precisions}
    for name, peak in peaks.items():
        print(f"peak {name}: {peak.flops / 1e9:,.0f} GFLOP/s ({peak.source})")
    print("precision compiled rows  tokens/s   MFU  first steps")
    for precision, compiled, rows in itertools.product(
        arguments.precisions, arguments.compiled, arguments.rows
    ):
        measure(arguments, device, precision, peaks[precision], compiled == "yes", rows)


def measure(
    arguments: argparse.Namespace,
    device: torch.device,
    precision: str,
    peak: Peak,
    compiled: bool,
    rows: int,
) -> None:
    """Print the rate of one setting."""
    torch.manual_seed(0)
    model: nn.Module = fresh_model(arguments)
    model.to(device)
    operations = flops_per_token(model, arguments.row_tokens)
    if compiled:
        model.compile(dynamic=False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    batch = random_batch(arguments.vocabulary, rows, arguments.row_tokens).to(device)

    def step() -> float:
        start = time.perf_counter()
        with torch.autocast(device.type, torch.bfloat16, enabled=precision == "bfloat16"):
            loss = loss_sum(model, batch)
        (loss / batch.target_count()).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        loss.item()
        return time.perf_counter() - start

    first = step() + step()
    best = min(step() for _ in range(arguments.steps))
    rate = rows * arguments.row_tokens / best
    share = rate * operations / peak.flops
    print(
        f"{precision:9} {'yes' if compiled else 'no':8} {rows:4} {rate:9,.0f} {share:5.1%} "
        f"{first:8.1f} s",
        flush=True,
    )


def fresh_model(arguments: argparse.Namespace) -> LlamaForCausalLM:
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=arguments.vocabulary,
            hidden_size=arguments.width,
            intermediate_size=-(-arguments.width * 8 // 3 // 32) * 32,
            num_hidden_layers=arguments.layers,
            num_attention_heads=arguments.heads,
            max_position_embeddings=arguments.row_tokens,
            tie_word_embeddings=not arguments.untied,
        )
    )


def random_batch(vocabulary: int, rows: int, row_tokens: int) -> Batch:
    tokens = torch.randint(vocabulary, (rows, row_tokens))
    length = row_tokens // DOCUMENTS_PER_ROW
    place = torch.arange(row_tokens).expand(rows, row_tokens)
    last = place % length == length - 1
    targets = tokens.roll(-1, 1).masked_fill(last, NO_TARGET)
    return Batch(tokens, place % length, place // length, targets)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rows", type=int, nargs="+", default=[4, 8, 16])
    parser.add_argument("--precisions", nargs="+", default=["float32", "bfloat16"])
    parser.add_argument("--compiled", nargs="+", choices=["no", "yes"], default=["no"])
    parser.add_argument("--vocabulary", type=int, default=2048)
    parser.add_argument("--row-tokens", type=int, default=256)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--untied", action="store_true", help="an output matrix of its own")
    parser.add_argument("--steps", type=int, default=6)
    return parser.parse_args()


if __name__ == "__main__":
    main()
