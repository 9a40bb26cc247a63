"""Invented court cases with annotated values, and a tiny model of random weights."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from typing import Any

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset, key_id_of
from sage_rag.privacy.operators.keyed import KeyedChoice
from sage_rag.training.controlled.codes import AnnotatedDocument, PrivateValue, ValueSpan
from sage_rag.training.controlled.fiction import fiction_key
from sage_rag.training.pretraining.tokenizing import save_tokenizer, train_tokenizer

PEOPLE = ("Mr Tomas O'Neil", "Ms Ines Vardal", "Mr. A. Quist", "Dr Olga Brandt", "Mr Jan Łos")
TOWNS = ("Harnmouth", "Lower Tindale", "Ostrava", "Gdańsk", "Pell")


def cases(count: int = 8, seed: int = 0) -> list[AnnotatedDocument]:
    """Return cases of two paragraphs: a name, a town, a file number, a date, a sum."""
    rng = random.Random(seed)  # noqa: S311 - texts, not secrets
    return [_case(number, rng) for number in range(count)]


def _case(number: int, rng: random.Random) -> AnnotatedDocument:
    parts = [
        ("The case began with application no. ", None),
        (f"{rng.randrange(10_000, 90_000)}/{number:02d}", EntityType.ID),
        (" of ", None),
        (PEOPLE[number % len(PEOPLE)], EntityType.PERSON),
        (", who lives in ", None),
        (TOWNS[number % len(TOWNS)], EntityType.LOCATION),
        (".\n\nThe court awarded ", None),
        (f"${rng.randrange(2, 90)},{rng.randrange(1000):03d}", EntityType.QUANTITY),
        (" for costs on ", None),
        (f"{rng.randrange(1, 28)} May {rng.randrange(1980, 2010)}", EntityType.DATE_TIME),
        (".", None),
    ]
    text, spans = "", []
    for part, kind in parts:
        if kind is not None:
            value = PrivateValue.of(part, kind)
            spans.append(ValueSpan(len(text), len(text) + len(part), value))
        text += part
    return AnnotatedDocument(f"case-{number}", text, tuple(spans))


def write_cases(path: Path, documents: list[AnnotatedDocument]) -> None:
    """Write cases in TAB's form."""
    labels = {
        EntityType.ID: "CODE",
        EntityType.PERSON: "PERSON",
        EntityType.LOCATION: "LOC",
        EntityType.QUANTITY: "QUANTITY",
        EntityType.DATE_TIME: "DATETIME",
    }
    rows = [
        {
            "doc_id": d.id,
            "text": d.text,
            "spans": [
                {
                    "start": s.start,
                    "end": s.end,
                    "label": labels[s.value.entity_type],
                    "identifier_type": "DIRECT" if s.value.direct else "QUASI",
                }
                for s in d.spans
            ],
        }
        for d in documents
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@cache
def tokenizer() -> Any:
    """Return a byte-level tokenizer of 400 tokens, trained on the cases."""
    return train_tokenizer([d.text for d in cases(40)] + [f"PERSON: {p}" for p in PEOPLE], 400)


def tiny_model(seed: int = 0) -> Any:
    """Return a model of one layer with random weights."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer()),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=512,
        bos_token_id=None,
        eos_token_id=tokenizer().eos_token_id,
        initializer_range=0.5,
    )
    return LlamaForCausalLM(config).eval()


def write_model(folder: Path) -> Path:
    """Write the tiny model and its tokenizer."""
    tiny_model().save_pretrained(folder)
    save_tokenizer(tokenizer(), folder)
    return folder


def choice() -> KeyedChoice:
    """Return a generator whose key is always the same."""
    key = b"k" * 32
    return fiction_key(Keyset({key_id_of(key): key}, key_id_of(key)), "cases")
