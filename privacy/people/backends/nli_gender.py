"""Judge the gender of a name by zero-shot inference with an NLI cross-encoder."""

from __future__ import annotations

from functools import lru_cache

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.people.names import Gender
from sage_rag.privacy.words import normalize

_HYPOTHESES = {
    Gender.FEMALE: "This is the name of a woman.",
    Gender.MALE: "This is the name of a man.",
}
_REMEMBERED = 1 << 14


class NliGenderJudge:
    """Judges by a cross-encoder: which of two hypotheses does a name entail?

    `model`: a folder, or a name such as `cross-encoder/nli-deberta-v3-base`, which transformers
    finds in its cache or downloads. `at_least`: the minimum share of the two entailments for a
    gender, in (0.5, 1].

    Does not guarantee: the same results on other hardware. Surrogates depend on them, so use one
    machine, or the name lists, for one corpus.

    Source: the zero-shot reading of NLI is Yin et al. (2019), arXiv 1909.00161; its use for names
    follows the surrogate framework with Faker and this model.
    """

    def __init__(self, model: str, *, at_least: float = 0.8) -> None:
        self._name = model
        self._at_least = at_least
        self._tokenizer = AutoTokenizer.from_pretrained(model)
        self._model = AutoModelForSequenceClassification.from_pretrained(model).eval()
        self._entailment = _entailment_label(self._model.config.id2label)
        self._remembered = lru_cache(_REMEMBERED)(self._judge)

    @property
    def fingerprint(self) -> str:
        """The last part of the model's path, and the minimum share."""
        return f"nli/{self._name.rstrip('/').rsplit('/', 1)[-1]}/{self._at_least}"

    def gender(self, given_name: str) -> Gender | None:
        """Return the gender if its share is high enough."""
        return self._remembered(normalize(given_name))

    def _judge(self, name: str) -> Gender | None:
        genders = list(_HYPOTHESES)
        inputs = self._tokenizer(
            [name.title()] * len(genders),
            [_HYPOTHESES[gender] for gender in genders],
            return_tensors="pt",
            padding=True,
            truncation=True,
        )
        with torch.inference_mode():
            logits = self._model(**inputs).logits[:, self._entailment]
        shares = logits.softmax(dim=0).tolist()
        best = max(range(len(genders)), key=shares.__getitem__)
        return genders[best] if shares[best] >= self._at_least else None


def _entailment_label(labels: dict[int, str]) -> int:
    for index, label in labels.items():
        if label.lower() == "entailment":
            return int(index)
    raise InputError("the model is not an NLI model: it has no label `entailment`")
