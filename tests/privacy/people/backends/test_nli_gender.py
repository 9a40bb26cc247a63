"""The NLI judge, on a tiny cross-encoder made here; its weights are random but its logits count."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.people.backends.nli_gender import NliGenderJudge
from sage_rag.privacy.people.names import Gender

NAMES = "Clara Edith Nora Boris Edgar Oskar Lena Paul Ruth Otto Ida Kurt".split()
WOMAN, MAN = "This is the name of a woman.", "This is the name of a man."
LABELS = {0: "contradiction", 1: "neutral", 2: "Entailment"}


def save_model(folder: Path, labels: dict[int, str]) -> str:
    words = ["[PAD]", "[UNK]", *NAMES, *f"{WOMAN} {MAN}".replace(".", " .").split()]
    vocabulary = {word: i for i, word in enumerate(dict.fromkeys(words))}
    inner = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="[PAD]", unk_token="[UNK]", model_max_length=32
    )
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=32, num_labels=3, id2label=labels,
        label2id={label: i for i, label in labels.items()}, initializer_range=1.0,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_model(tmp_path_factory.mktemp("nli"), LABELS)


def woman_share(folder: str, name: str) -> float:
    """The two hypotheses one by one, without the judge."""
    model = BertForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    with torch.inference_mode():
        woman, man = (
            model(**tokenizer(name, hypothesis, return_tensors="pt")).logits[0, 2].exp().item()
            for hypothesis in (WOMAN, MAN)
        )
    return woman / (woman + man)


def test_the_gender_whose_hypothesis_is_entailed_more_is_the_answer(folder: str) -> None:
    shares = {name: woman_share(folder, name) for name in NAMES}
    assert min(shares.values()) < 0.45
    assert max(shares.values()) > 0.55
    judge = NliGenderJudge(folder, at_least=0.55)
    for name, share in shares.items():
        expected = Gender.FEMALE if share >= 0.55 else Gender.MALE if share <= 0.45 else None
        assert judge.gender(name) is expected, name
        assert judge.gender(name.upper()) is expected


def test_an_answer_that_is_not_sure_enough_is_none(folder: str) -> None:
    strict = NliGenderJudge(folder, at_least=1.0)
    assert {strict.gender(name) for name in NAMES} == {None}


def test_the_fingerprint_names_the_model_and_no_folder_above_it(folder: str) -> None:
    judge = NliGenderJudge(folder)
    assert judge.fingerprint == f"nli/{Path(folder).name}/0.8"


def test_a_model_without_entailment_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="NLI"):
        NliGenderJudge(save_model(tmp_path, {0: "good", 1: "bad", 2: "so-so"}))
