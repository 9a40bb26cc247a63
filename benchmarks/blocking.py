"""Time decoding with 500 blocked values in all their spellings, and without.

It counts processor time of one thread and takes the fastest of nine rounds, since other work on
the machine only adds to it.

python benchmarks/blocking.py
"""

from __future__ import annotations

import random
import time

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.people.gender import faker_names
from sage_rag.training.controlled.blocking import BlockedTokens, Vocabulary
from sage_rag.training.controlled.codes import PrivateValue
from sage_rag.training.controlled.sampling import CausalWriter, SamplingSettings
from sage_rag.training.controlled.spellings import spellings
from sage_rag.training.controlled.value_trie import ValueTrie
from sage_rag.training.pretraining.tokenizing import train_tokenizer

VALUES = 500
TOKENS = 80
ROUNDS = 9
ROWS = 4
SHAPES = ((192, 4), (512, 8))
"""Width and layers: the model of the study, and one of about 30 million parameters."""


def main() -> None:
    """Print the time of a token, with and without blocking, by the size of the model."""
    torch.set_num_threads(1)
    rng = random.Random(0)
    women, men, family = faker_names("en_US")
    given, last = sorted(women | men), sorted(family)
    names = [f"{rng.choice(given)} {rng.choice(last)}" for _ in range(4_000)]
    texts = [
        f"{name} came to the court of {rng.choice(last)}ville in 19{n % 90:02d}."
        for n, name in enumerate(names)
    ]
    tokenizer = train_tokenizer(texts, 4096)
    began = time.process_time()
    values = ValueTrie(spellings(_values(names, rng)))
    blocked = [BlockedTokens(values, Vocabulary(tokenizer))]
    elapsed = time.process_time() - began
    print(f"tables of {VALUES} values, {values.size} spellings: {elapsed:.2f} s, once per set")
    for width, layers in SHAPES:
        _measure(width, layers, tokenizer, blocked)


def _values(names: list[str], rng: random.Random) -> list[PrivateValue]:
    """Return names, dates and sums, a third each."""
    kinds = (EntityType.PERSON, EntityType.DATE_TIME, EntityType.QUANTITY)
    written = (
        lambda n: names[n],
        lambda n: f"{1 + n % 28} May {1900 + n % 120}",
        lambda n: f"EUR {rng.randrange(1_000, 1_000_000):,}",
    )
    return [PrivateValue.of(written[n % 3](n), kinds[n % 3]) for n in range(VALUES)]


def _measure(width: int, layers: int, tokenizer: object, blocked: list[BlockedTokens]) -> None:
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=4096,
        hidden_size=width,
        intermediate_size=width * 8 // 3,
        num_hidden_layers=layers,
        num_attention_heads=width // 48 if width == 192 else 8,
        max_position_embeddings=1024,
        eos_token_id=0,
    )
    writer = CausalWriter(LlamaForCausalLM(config), tokenizer, "benchmark")
    settings = SamplingSettings(most_tokens=TOKENS)
    prompts, seeds = ["The court of "] * ROWS, list(range(ROWS))

    def seconds(used: list[BlockedTokens]) -> float:
        began = time.process_time()
        writer.write(prompts, seeds, settings, blocked=used)
        return (time.process_time() - began) / TOKENS

    seconds([]), seconds(blocked)  # the first calls allocate
    pairs = [(seconds([]), seconds(blocked)) for _ in range(ROUNDS)]
    free, held = (min(times) * 1e3 for times in zip(*pairs, strict=True))
    extra = held / free - 1
    size = sum(p.numel() for p in writer.model.parameters()) / 1e6
    print(f"{size:.1f} M parameters: {free:.2f} ms a token, {held:.2f} ms blocked ({extra:+.1%})")


if __name__ == "__main__":
    main()
