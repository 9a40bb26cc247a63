from pathlib import Path

import pytest
import torch

from sage_rag.common.exceptions import InputError
from sage_rag.training.controlled.codes import Identifiers
from sage_rag.training.controlled.names import Contrast
from sage_rag.training.controlled.prefix import Prefix
from sage_rag.training.controlled.prefix_training import (
    PrefixSettings,
    batch_losses,
    coded_row,
    padded,
    prefixed_logits,
    train_prefix,
)
from sage_rag.training.controlled.sampling import CausalWriter, SamplingSettings
from tests.training.controlled.corpus import cases, tiny_model, tokenizer

QUICK = PrefixSettings(tokens=5, learning_rate=0.05, epochs=4, rows=4)


def test_a_new_prefix_reads_as_its_tokens_before_the_text() -> None:
    model, words = tiny_model(), tokenizer()
    prefix = Prefix.of_text(model, words, 6)
    ids = words("The following record contains these", add_special_tokens=False)["input_ids"][:6]
    text = words("The case began in Pell", add_special_tokens=False)["input_ids"]
    tokens, mask = padded([text], "cpu")
    whole = model(torch.tensor([ids + text])).logits[:, 6:]
    torch.testing.assert_close(prefixed_logits(model, prefix, tokens, mask), whole)


def test_private_tokens_are_those_that_share_a_character_with_a_value() -> None:
    document, words = cases(1)[0], tokenizer()
    row = coded_row(document, Identifiers.DIRECT, words, 500)
    hidden = words.decode([t for t, p in zip(row.tokens, row.private, strict=True) if p])
    assert "O'Neil" in hidden
    assert "Harnmouth" not in hidden
    assert row.counted.count(False) > 3  # the code is input
    assert words.decode(row.tokens).startswith("CODE: ")
    assert row.tokens[-1] == words.eos_token_id


@pytest.mark.parametrize("contrast", list(Contrast))
def test_training_lowers_the_loss_and_leaves_the_model_as_it_is(contrast: Contrast) -> None:
    model = tiny_model()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    seen: list[float] = []
    settings = PrefixSettings(tokens=5, learning_rate=0.05, epochs=6, rows=8, contrast=contrast)
    prefix = train_prefix(
        model, tokenizer(), cases(8), settings, lambda done, steps, loss: seen.append(loss)
    )
    assert seen[-1] < seen[0]
    assert all(torch.equal(tensor, before[n]) for n, tensor in model.state_dict().items())
    assert not any(p.requires_grad for p in prefix.parameters())


def test_the_lowering_sign_leaves_private_tokens_less_probable_than_the_printed_one() -> None:
    model, found = tiny_model(), {}
    rows = [coded_row(d, Identifiers.BOTH, tokenizer(), 400) for d in cases(8)]
    for contrast in (Contrast.PRINTED, Contrast.LOWERING):
        settings = PrefixSettings(tokens=5, learning_rate=0.05, epochs=8, rows=8, contrast=contrast)
        prefix = train_prefix(model, tokenizer(), cases(8), settings)
        # The printed loss is small where private tokens are probable.
        found[contrast] = batch_losses(model, prefix, rows, Contrast.PRINTED)[0].contrast.item()
    assert found[Contrast.PRINTED] < found[Contrast.LOWERING]


def test_the_prefix_changes_what_is_written_and_how_a_text_is_scored(tmp_path: Path) -> None:
    model, words = tiny_model(), tokenizer()
    writer = CausalWriter(model, words, "digest")
    trained = train_prefix(model, words, cases(8), QUICK)
    first = Prefix.of_text(model, words, 5)
    settings = SamplingSettings(most_tokens=30, temperature=0.7)

    def written(prefix: Prefix | None) -> list[str]:
        return writer.write(["PERSON: Eva Lund\n\n"] * 2, [1, 2], settings, prefix=prefix)

    assert written(trained) == written(trained)
    assert written(trained) != written(first)
    assert written(trained) != written(None)
    trained.save(tmp_path, "digest", {})
    assert written(Prefix.load(tmp_path, "digest")) == written(trained)
    rows = [coded_row(d, Identifiers.BOTH, words, 400) for d in cases(4)]
    scored = [
        batch_losses(model, p, rows, Contrast.NONE)[0].language.item() for p in (first, trained)
    ]
    assert scored[1] < scored[0]


def test_rows_of_a_batch_are_written_as_they_are_alone() -> None:
    writer = CausalWriter(tiny_model(), tokenizer(), "digest")
    prefix = Prefix.of_text(writer.model, writer.tokenizer, 5)
    settings = SamplingSettings(most_tokens=12)
    prompts = ["PERSON: Eva Lund\n\n", "LOC: Pell, Ostrava\n\n", "CODE: 1\n\n"]
    together = writer.write(prompts, [1, 2, 3], settings, prefix=prefix)
    alone = [
        writer.write([p], [s], settings, prefix=prefix)[0]
        for p, s in zip(prompts, (1, 2, 3), strict=True)
    ]
    assert together == alone


def test_a_prefix_of_another_model_is_refused(tmp_path: Path) -> None:
    Prefix.of_text(tiny_model(), tokenizer(), 3).save(tmp_path, "one", {})
    with pytest.raises(InputError, match="another model"):
        Prefix.load(tmp_path, "two")
    with pytest.raises(InputError, match="no trained prefix"):
        Prefix.load(tmp_path / "nothing", "one")


def test_documents_without_room_are_an_error() -> None:
    with pytest.raises(InputError, match="at least one virtual token"):
        train_prefix(tiny_model(), tokenizer(), cases(2), PrefixSettings(tokens=0))
    with pytest.raises(InputError, match=r"reads \d+ tokens, and no document has room"):
        train_prefix(tiny_model(), tokenizer(), [], QUICK)
    with pytest.raises(InputError, match="reads 512 tokens: too few after 600 virtual ones"):
        train_prefix(tiny_model(), tokenizer(), cases(2), PrefixSettings(tokens=600))


def test_a_damaged_prefix_is_one_clear_error(tmp_path: Path) -> None:
    made = Prefix([torch.zeros(1, 2, 4)], [torch.zeros(1, 2, 4)])
    made.save(tmp_path, "digest", {})
    assert Prefix.load(tmp_path, "digest").tokens == 2
    (tmp_path / "prefix.safetensors").write_bytes(b"\x10")
    with pytest.raises(InputError, match="safetensors` is damaged"):
        Prefix.load(tmp_path, "digest")
    (tmp_path / "prefix.json").write_text("[")
    with pytest.raises(InputError, match="damaged, or was trained on another model"):
        Prefix.load(tmp_path, "digest")
