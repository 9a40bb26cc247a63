"""The model at step 0, its isolation of documents, and one step against a plain formula."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from torch import Tensor

from sage_rag.common.exceptions import InputError
from sage_rag.training.pretraining.config import ModelSettings, SizeSettings
from sage_rag.training.pretraining.loop import pretrain
from sage_rag.training.pretraining.model import loss_sum, starting_model
from sage_rag.training.pretraining.packing import NO_TARGET, Batch
from sage_rag.training.pretraining.tokenizing import add_words, load_tokenizer, train_tokenizer
from tests.training.pretraining.runs import invented_texts, tiny_run

TOKENIZER = train_tokenizer(invented_texts(200), 300)
SIZE = SizeSettings(width=16, layers=2, heads=4, key_value_heads=2, tied_embeddings=False)


def fresh(seed: int = 0, **changes: object):
    settings = ModelSettings(start="random", size=SIZE).model_copy(update=changes)
    return starting_model(settings, TOKENIZER, 32, seed)


def batch_of_documents(*documents: list[int], length: int = 24) -> Batch:
    """Return one row that holds documents, and is filled with token 0."""
    tokens, positions = torch.zeros(1, length).long(), torch.zeros(1, length).long()
    numbers, targets = torch.full((1, length), -1), torch.full((1, length), NO_TARGET)
    place = 0
    for number, document in enumerate(documents):
        here = slice(place, place + len(document))
        tokens[0, here] = torch.tensor(document)
        positions[0, here] = torch.arange(len(document))
        numbers[0, here] = number
        targets[0, place : here.stop - 1] = torch.tensor(document[1:])
        place = here.stop
    return Batch(tokens, positions, numbers, targets)


A, B, OTHER = [5, 9, 17, 40, 2, 8], [7, 7, 30, 21, 90], [66, 1, 250, 3, 3, 77]


@pytest.mark.filterwarnings("ignore:.*script_method:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
@pytest.mark.parametrize("attention", ["sdpa", "flex"])
def test_a_document_does_not_change_the_loss_of_another_in_its_row(attention: str) -> None:
    model = fresh(attention=attention).eval()

    def loss_of_b(*documents: list[int]) -> float:
        batch = batch_of_documents(*documents)
        place = documents.index(B)
        targets = batch.targets.masked_fill(batch.documents != place, NO_TARGET)
        with torch.no_grad(), torch.compiler.set_stance("force_eager"):  # flex: without compiling
            return float(
                loss_sum(model, Batch(batch.tokens, batch.positions, batch.documents, targets))
            )

    assert loss_of_b(A, B) == loss_of_b(OTHER, B)
    assert loss_of_b(A, B) == pytest.approx(loss_of_b(B), rel=1e-5)
    assert loss_of_b(A, B) == pytest.approx(loss_of_b(B, A), rel=1e-5)


@pytest.mark.gpu
@pytest.mark.filterwarnings("default")  # compiling has warnings of its own
@pytest.mark.skipif(not torch.cuda.is_available(), reason="flex attention trains on a GPU alone")
def test_flex_attention_has_the_loss_and_gradient_of_the_mask() -> None:
    batch = batch_of_documents(A, B, length=128).to(torch.device("cuda"))
    size = SIZE.model_copy(update={"width": 64})  # flex attention needs heads of 16 or more
    found = []
    for attention in ("sdpa", "flex"):
        model = fresh(attention=attention, size=size).cuda()
        loss = loss_sum(model, batch)
        loss.backward()
        gradient = torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])
        found.append((loss.item(), gradient))
    (loss, gradient), (flex_loss, flex_gradient) = found
    assert flex_loss == pytest.approx(loss, rel=1e-4)
    assert torch.allclose(flex_gradient, gradient, atol=1e-3)


def test_tokens_of_one_document_do_change_its_loss() -> None:
    model = fresh().eval()
    with torch.no_grad():
        first, second = (
            float(loss_sum(model, batch_of_documents([*start, *B]))) for start in (A, A[::-1])
        )
    assert first != second


def norm(x: Tensor, weight: Tensor) -> Tensor:
    return weight * x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6)


def rotate(x: Tensor, place: int) -> Tensor:
    """Rotate each pair (i, i + half) of a vector by place / 10000^(i / half)."""
    half = len(x) // 2
    angle = place / 10000.0 ** (torch.arange(half, dtype=torch.float64) / half)
    first, second = x[:half], x[half:]
    cos, sin = angle.cos(), angle.sin()
    return torch.cat([first * cos - second * sin, second * cos + first * sin])


def plain_loss(w: dict[str, Tensor], document: list[int]) -> Tensor:
    """Return a document's summed loss, token by token and head by head, in float64."""
    heads, shared, head_width = SIZE.heads, 2, SIZE.width // SIZE.heads
    xs = [w["model.embed_tokens.weight"][token] for token in document]
    for layer in range(SIZE.layers):
        p = f"model.layers.{layer}."
        normed = [norm(x, w[p + "input_layernorm.weight"]) for x in xs]
        keys, values = (
            [(w[f"{p}self_attn.{n}_proj.weight"] @ x).view(shared, head_width) for x in normed]
            for n in "kv"
        )
        for t, x in enumerate(normed):
            queries = (w[p + "self_attn.q_proj.weight"] @ x).view(heads, head_width)
            outs = []
            for head in range(heads):
                kin = head // (heads // shared)
                query = rotate(queries[head], t)
                scores = torch.stack(
                    [query @ rotate(keys[s][kin], s) / math.sqrt(head_width) for s in range(t + 1)]
                )
                share = scores.exp() / scores.exp().sum()
                outs.append(sum(share[s] * values[s][kin] for s in range(t + 1)))
            xs[t] = xs[t] + w[p + "self_attn.o_proj.weight"] @ torch.cat(outs)
        for t, x in enumerate(xs):
            y = norm(x, w[p + "post_attention_layernorm.weight"])
            gate, up = (w[f"{p}mlp.{n}_proj.weight"] @ y for n in ("gate", "up"))
            xs[t] = x + w[p + "mlp.down_proj.weight"] @ (gate / (1 + (-gate).exp()) * up)
    loss = torch.zeros((), dtype=torch.float64)
    for x, target in zip(xs, document[1:], strict=False):
        logits = w["lm_head.weight"] @ norm(x, w["model.norm.weight"])
        loss = loss + logits.exp().sum().log() - logits[target]
    return loss


def test_loss_and_gradient_are_those_of_the_plain_formula() -> None:
    model = fresh()
    exact = {
        name: weight.detach().double().requires_grad_() for name, weight in model.named_parameters()
    }
    expected = plain_loss(exact, A) + plain_loss(exact, B)
    expected.backward()
    loss = loss_sum(model, batch_of_documents(A, B))
    loss.backward()
    assert loss.item() == pytest.approx(expected.item(), rel=1e-6)
    for name, weight in model.named_parameters():
        assert torch.allclose(weight.grad.double(), exact[name].grad, rtol=1e-3, atol=1e-5), name


def test_the_seed_decides_the_random_weights() -> None:
    first, again, other = (fresh(seed).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["lm_head.weight"], other["lm_head.weight"])


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pretrain(tiny_run(tmp_path_factory.mktemp("trained")))


def test_a_new_word_starts_as_the_mean_of_its_pieces(trained: Path) -> None:
    settings = ModelSettings(start="weights", path=trained)
    tokenizer = load_tokenizer(trained)
    before = starting_model(settings, tokenizer, 32, 0).get_input_embeddings().weight
    pieces = tokenizer("_[river_", add_special_tokens=False)["input_ids"]
    assert add_words(tokenizer, ["_[river_", "oak]"]) == 2
    model = starting_model(settings, tokenizer, 32, 0)
    after = model.get_input_embeddings().weight
    assert len(after) == len(before) + 2 == len(tokenizer)
    assert torch.equal(after[: len(before)], before)
    place = tokenizer.convert_tokens_to_ids("_[river_")
    assert torch.allclose(after[place], before[pieces].mean(0))
    assert model.get_output_embeddings().weight is after


def test_another_vocabulary_needs_the_body_alone(trained: Path) -> None:
    other = train_tokenizer(invented_texts(100, seed=9), 280)
    with pytest.raises(InputError, match="does not extend"):
        starting_model(ModelSettings(start="weights", path=trained), other, 32, 0)
    source = starting_model(
        ModelSettings(start="weights", path=trained), load_tokenizer(trained), 32, 0
    )
    model = starting_model(ModelSettings(start="body", path=trained), other, 32, 0)
    assert model.config.vocab_size == 280
    assert model.config.eos_token_id == other.eos_token_id
    layer = "model.layers.1.mlp.up_proj.weight"
    assert torch.equal(model.state_dict()[layer], source.state_dict()[layer])
    assert model.get_input_embeddings().weight.std().item() == pytest.approx(0.02, rel=0.1)


def test_rows_longer_than_the_model_reads_are_refused(trained: Path) -> None:
    with pytest.raises(InputError, match="reads 64 tokens"):
        starting_model(ModelSettings(start="weights", path=trained), load_tokenizer(trained), 65, 0)


def test_a_folder_without_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no causal language model"):
        starting_model(ModelSettings(start="weights", path=tmp_path), TOKENIZER, 32, 0)


def test_an_untrained_model_knows_nothing() -> None:
    loss = loss_sum(fresh().eval(), batch_of_documents(A, B)).item()
    assert loss / 9 == pytest.approx(math.log(300), rel=0.05)
