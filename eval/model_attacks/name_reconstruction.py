"""Name reconstruction: which of many names does a model find likeliest in a sentence?"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from sage_rag.common.exceptions import InputError
from sage_rag.common.proportions import Proportion
from sage_rag.eval.mean import Mean
from sage_rag.eval.model_attacks.sentences import NamedSentence
from sage_rag.eval.model_attacks.target import TargetModel


class NameReconstruction(BaseModel):
    """How often the true name is the first of all candidates, and its rank among them.

    `first`: sentences whose true name alone has the lowest perplexity; at chance 1 of
    `candidates`. `rank`: the mean rank of the true name, 1 is the best; ties count half; at chance
    (`candidates` + 1) / 2. The interval is over sentences.
    """

    model_config = ConfigDict(frozen=True)
    candidates: int
    first: Proportion
    rank: Mean | None


def reconstruct_names(
    model: TargetModel, sentences: Sequence[NamedSentence], candidates: Sequence[str]
) -> NameReconstruction:
    """Put every candidate into every sentence, and rank them by the perplexity of the sentence.

    Raises:
        InputError: when the model's tokenizer does not spell a name, or a name is no candidate.

    Source: Kobashi et al., Crypto-LLM, §4.4.1; Lukas et al. (2023), arXiv 2302.00539.
    """
    names = list(dict.fromkeys(candidates))
    if not all(spells(model, name) for name in names):
        raise InputError(
            "the model's tokenizer cannot spell a candidate name",
            hint="attack a model that reads plain text, such as the one after stage two",
        )
    ranks = [_rank(model, sentence, names) for sentence in sentences]
    return NameReconstruction(
        candidates=len(names),
        first=Proportion.of(sum(rank == 1 for rank in ranks), len(ranks)),
        rank=Mean.of(ranks),
    )


def spells(model: TargetModel, name: str) -> bool:
    """Return whether the model's tokenizer gives a name back as it was."""
    return model.text_of(model.token_ids(f" {name}")).strip() == name


def _rank(model: TargetModel, sentence: NamedSentence, names: Sequence[str]) -> float:
    if sentence.name not in names:
        raise InputError("the true name of a sentence is not among the candidates")
    losses = -model.mean_log_p([f"{sentence.before}{n}{sentence.after}" for n in names])
    own = losses[names.index(sentence.name)]
    return float(1 + (losses < own).sum() + ((losses == own).sum() - 1) / 2)
