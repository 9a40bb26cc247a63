"""Model tokens per pseudonym."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from sage_rag.common.exceptions import InputError
from sage_rag.eval.studies.codebook import (
    BEFORE,
    CUTS,
    count,
    json_offsets,
    measure,
    ranks_offsets,
)
from sage_rag.eval.studies.runner import main
from sage_rag.privacy.entities import EntityType
from sage_rag.training.ciphers.codewords import displayed_type, word_lists


def trained(cut: str) -> Tokenizer:
    """Return a byte-pair tokenizer trained on pseudonyms, as one for pretraining on them would be."""
    firsts, seconds = word_lists()
    shown = sorted({displayed_type(entity_type) for entity_type in EntityType})
    texts = [f"x {shown[i % len(shown)]}_[{w}_x] y" for i, w in enumerate(firsts)]
    texts += [f"x {shown[i % len(shown)]}_[x_{w}] y" for i, w in enumerate(seconds)]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(cut), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=20_000,
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(texts * 2, trainer)
    return tokenizer


@pytest.mark.parametrize("name", ["llama-3", "qwen2.5"])
def test_a_tokenizer_trained_on_pseudonyms_takes_six_tokens_at_most(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "tokenizer.json"
    trained(CUTS[name]).save(str(path))
    counts = measure(json_offsets(path))
    assert counts.greatest[BEFORE["after a space"]] <= 6
    assert counts.mean[BEFORE["after a space"]] < 6


def test_only_tokens_that_cover_the_pseudonym_count() -> None:
    def offsets(text: str) -> list[tuple[int, int]]:
        return [(0, 2), (2, 4), (4, 6), (6, 8)]

    assert count(offsets, "ab", "cdef", "gh") == 2
    assert count(offsets, "a", "bcdef", "gh") == 3
    assert count(offsets, "ab", "cdefg", "h") == 3


def test_counts_that_do_not_add_up_are_an_error() -> None:
    def whole(text: str) -> list[tuple[int, int]]:
        return [(i, i + 1) for i in range(len(text) % 7)]

    with pytest.raises(InputError, match="not the sum of its parts"):
        measure(whole)


def test_the_study_writes_the_table_with_its_command(tmp_path: Path) -> None:
    ranks = tmp_path / "byte.ranks"
    lines = [f"{base64.b64encode(bytes([b])).decode()} {b}" for b in range(256)]
    ranks.write_text("\n".join(lines))
    out = tmp_path / "codebook.md"
    assert main(["codebook", "--ranks", f"llama-3={ranks}", "--out", str(out)]) == 0
    text = out.read_text()
    command = "python -m sage_rag.eval.studies codebook --ranks llama-3=byte.ranks"
    assert f"{command} --out codebook.md" in text
    longest = max(len(f"{displayed_type(t)}_[]") for t in EntityType)
    longest += max(map(len, word_lists()[0])) + 1 + max(map(len, word_lists()[1]))
    assert f"({longest})" in text  # one token a byte
    assert "/" + str(tmp_path) not in text


def test_a_tekken_file_brings_its_own_cut(tmp_path: Path) -> None:
    path = tmp_path / "tekken.json"
    vocabulary = [
        {"rank": b, "token_bytes": base64.b64encode(bytes([b])).decode()} for b in range(256)
    ]
    config = {"pattern": r"\S+|\s+", "default_vocab_size": 266, "default_num_special_tokens": 10}
    path.write_text(json.dumps({"config": config, "vocab": vocabulary}))
    assert count(ranks_offsets("tekken", path), "x ", "ID_[a_b]", ".") == len("ID_[a_b]")


def test_a_vocabulary_with_an_unknown_cut_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="`unheard-of` is not one of llama-3"):
        ranks_offsets("unheard-of", tmp_path / "file")
