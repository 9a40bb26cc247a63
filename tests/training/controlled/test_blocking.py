"""A sampler that wants to leak, in every spelling and tokenisation, and cannot."""

import json
import random
import re
import unicodedata
from functools import cache

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LogitsProcessorList, PreTrainedTokenizerFast

from sage_rag.common.exceptions import InputError
from sage_rag.training.controlled.blocking import (
    BlockedTokens,
    BlockingProcessor,
    TextState,
    Vocabulary,
)
from sage_rag.training.controlled.token_bytes import split_bytes, token_bytes
from sage_rag.training.controlled.value_trie import Kind, ValueTrie, kind_of, symbols_of
from tests.training.controlled.corpus import tiny_model, tokenizer

VALUES = (
    "$1,000",
    "Mr. A.",
    "O'Neil",
    "Harn mouth",
    "Gdańsk",
    "36244/06",
    "2 May",
    "张伟",
    "Ostrava",
)


def spelled(value: str) -> list[str]:
    """Return a value in the spellings that a list of tokens would have to contain."""
    cased = [value, value.lower(), value.upper(), value.title()]
    bare = [re.sub(r"[\W_]+", "", text) for text in cased]
    spaced = [" ".join(re.findall(r"\w+", text)) for text in cased]
    split = [text[: len(text) // 2] + " " + text[len(text) // 2 :] for text in bare]
    plain = [unicodedata.normalize("NFD", text) for text in cased]
    return [*cased, *bare, *spaced, *split, *plain]


def leaks(text: str) -> bool:
    """Search for the values without the trie: by an expression over letters and digits."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    folded = "".join(c for c in folded if not unicodedata.combining(c))
    for value in VALUES:
        own = unicodedata.normalize("NFKD", value).casefold()
        letters = [c for c in own if c.isalnum()]
        body = r"[\W_]*".join(map(re.escape, letters))
        if "\u4e00" <= letters[0] <= "\u9fff":
            pattern = body
        else:
            before = r"(?<!\d)" if letters[0].isdigit() else r"(?<![^\W\d_])"
            after = r"(?!\d)" if letters[-1].isdigit() else r"(?![^\W\d_])"
            pattern = before + body + after
        if re.search(pattern, folded):
            return True
    return False


@cache
def sentencepiece() -> PreTrainedTokenizerFast:
    """Return a tokenizer that writes spaces as SentencePiece does, with tokens for bytes."""
    texts = [text for value in VALUES for text in spelled(value)] * 3
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.Metaspace()
    trained.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=200, limit_alphabet=40, show_progress=False)
    )
    model = json.loads(trained.to_str())["model"]
    names = ["<unk>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *model["vocab"]]
    merges = [tuple(merge) for merge in model["merges"]]
    vocabulary = {name: place for place, name in enumerate(names)}
    inner = Tokenizer(models.BPE(vocabulary, merges, byte_fallback=True, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.Metaspace()
    inner.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    return PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="</s>", unk_token="<unk>")


@pytest.mark.parametrize("made", [tokenizer, sentencepiece], ids=["bytes", "sentencepiece"])
def test_no_choice_of_allowed_tokens_spells_a_value(made) -> None:
    words = made()
    blocked = BlockedTokens(ValueTrie(VALUES), Vocabulary(words))
    wanted = [
        words(text, add_special_tokens=False)["input_ids"] for v in VALUES for text in spelled(v)
    ]
    rng = random.Random(0)  # noqa: S311 - attacks, not secrets
    attempts = 0
    for _ in range(120):
        processor = BlockingProcessor([blocked], 0)
        row: list[int] = []
        for _ in range(12):
            ids = rng.choice(wanted)
            start = rng.randrange(len(ids)) if rng.random() < 0.3 else 0
            for token in ids[start:]:
                scores = processor(torch.tensor([row], dtype=torch.long).view(1, -1), ZEROS[made])
                if scores[0, token] == 0:
                    row.append(token)
                else:
                    attempts += 1
            if rng.random() < 0.5:
                row += words(rng.choice([".", " ", " x", "-"]), add_special_tokens=False)[
                    "input_ids"
                ]
                row = row if not leaks(words.decode(row)) else row[:-1]
        for end in range(1, len(row) + 1):
            assert not leaks(words.decode(row[:end], skip_special_tokens=True))
    assert attempts > 100  # the sampler tried


@pytest.mark.parametrize("before", list(Kind))
def test_the_tables_equal_a_reading_of_every_token(before: Kind) -> None:
    words, trie = tokenizer(), ValueTrie(VALUES)
    blocked = BlockedTokens(trie, Vocabulary(words))
    expected = set()
    for token, content in enumerate(token_bytes(words)):
        lead, text, _ = split_bytes(content)
        active, last, ended = frozenset(), before, False
        for symbol in (" " if lead else "") + symbols_of(text):
            active, now = trie.step(active, last, symbol)
            ended, last = ended or now, kind_of(symbol)
        if ended or trie.ends(active):
            expected.add(token)
    found = {int(t) for part in blocked.blocked(TextState(before=before)) for t in part}
    assert found == expected


ZEROS = {made: torch.zeros(1, len(made())) for made in (tokenizer, sentencepiece)}


def test_a_model_of_transformers_cannot_write_a_value_that_it_prefers() -> None:
    words, model = tokenizer(), tiny_model()
    wanted = words(" O'Neil of Ostrava,", add_special_tokens=False)["input_ids"]

    def preferring(ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        scores = scores.clone()
        scores[:, wanted[ids.shape[1] % len(wanted)]] += 50.0
        return scores

    prompt = torch.tensor([wanted[-1:]] * 2)
    mask = torch.ones_like(prompt)
    arguments = {
        "attention_mask": mask,
        "max_new_tokens": 60,
        "do_sample": True,
        "pad_token_id": words.eos_token_id,
    }
    free = model.generate(prompt, logits_processor=LogitsProcessorList([preferring]), **arguments)
    assert any(leaks(text) for text in words.batch_decode(free[:, 1:]))
    blocked = BlockedTokens(ValueTrie(VALUES), Vocabulary(words))
    processors = LogitsProcessorList([preferring, BlockingProcessor([blocked], 1)])
    kept = model.generate(prompt, logits_processor=processors, **arguments)
    texts = words.batch_decode(kept[:, 1:], skip_special_tokens=True)
    assert not any(map(leaks, texts))
    assert all(len(text) > 20 for text in texts)


def test_rows_have_values_of_their_own() -> None:
    words = tokenizer()
    vocabulary = Vocabulary(words)
    rows = [BlockedTokens(ValueTrie([value]), vocabulary) for value in ("Ostrava", "Pell")]
    ids = words("Pell", add_special_tokens=False)["input_ids"]
    processor = BlockingProcessor(rows, 0)
    scores = processor(torch.tensor([ids[:-1]] * 2).long(), torch.zeros(2, len(words)))
    assert scores[0, ids[-1]] == 0
    assert scores[1, ids[-1]] == -torch.inf


def test_the_end_and_plain_words_stay_allowed() -> None:
    words = tokenizer()
    blocked = BlockedTokens(ValueTrie(VALUES), Vocabulary(words))
    scores = BlockingProcessor([blocked], 0)(torch.zeros(1, 0).long(), torch.zeros(1, len(words)))
    assert scores[0, words.eos_token_id] == 0
    assert (scores == 0).sum() > 0.9 * len(words)


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"abc", (0, "abc", b"")),
        (b"\x82a", (1, "a", b"")),
        (b"a\xe2\x82", (0, "a", b"\xe2\x82")),
        (b"\xc3", (0, "", b"\xc3")),
        (b"\xe2A", (0, "\ufffdA", b"")),
        ("é".encode(), (0, "é", b"")),
    ],
)
def test_bytes_are_split_at_whole_characters(content: bytes, parts: tuple) -> None:
    assert split_bytes(content) == parts


def test_tokens_are_known_as_bytes() -> None:
    words = tokenizer()
    ids = words("Mr Jan Łos in Gdańsk", add_special_tokens=False)["input_ids"]
    found = token_bytes(words)
    assert b"".join(found[token] for token in ids).decode() == "Mr Jan Łos in Gdańsk"
    assert found[words.eos_token_id] == b""


def test_another_kind_of_tokenizer_is_refused() -> None:
    inner = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1}, unk_token="[UNK]"))
    inner.decoder = decoders.WordPiece()
    words = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="a")
    with pytest.raises(InputError, match="not supported"):
        token_bytes(words)
