"""Tiny models, made on the spot and saved like downloaded ones. Each takes a second or two."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import torch
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import (
    BertConfig,
    BertForTokenClassification,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

GIVEN = "Ada Maria Tunde Ingrid Pavel Yusuf Chiara Odette".split()
FAMILY = "Novak Keller Okoro Lindqvist Moreau Haddad Ferrari Quist".split()
PLACES = "Bern Lagos Malmo Turin Prague Ghent".split()
SHAPES = (
    "{name} lives in {place} .",
    "Yesterday the doctor saw {name} again .",
    "In {place} it rained all day , said {name} .",
    "The nurse asked {name} and {other} about the pain .",
    "Please take the medicine twice a day .",
    "{name} , {place} , was late .",
)
TAGS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")


def sentence(rng: random.Random) -> list[tuple[str, str]]:
    """Return words with their tags."""
    words = []
    for part in rng.choice(SHAPES).split():
        if part in {"{name}", "{other}"}:
            words += [(rng.choice(GIVEN), "B-PER"), (rng.choice(FAMILY), "I-PER")]
        elif part == "{place}":
            words.append((rng.choice(PLACES), "B-LOC"))
        else:
            words.append((part, "O"))
    return words


def word_piece() -> PreTrainedTokenizerFast:
    """Return a BERT-like tokenizer that knows the words above and every letter."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    trainer = trainers.WordPieceTrainer(vocab_size=260, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator([" ".join([*GIVEN, *FAMILY, *PLACES, *SHAPES])], trainer)
    ids = [("[CLS]", 2), ("[SEP]", 3)]
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", None, ids)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", model_max_length=64,
    )  # fmt: skip


def token_classifier(folder: Path, *, tags: tuple[str, ...] = TAGS, steps: int = 120) -> Path:
    """Train a tagger that knows the names above; the first piece of a word carries its tag."""
    torch.manual_seed(0)
    rng, tokenizer = random.Random(0), word_piece()  # noqa: S311
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=96, max_position_embeddings=64, num_labels=len(tags),
        id2label=dict(enumerate(tags)), label2id={t: i for i, t in enumerate(tags)},
    )  # fmt: skip
    model = BertForTokenClassification(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(steps):
        # Random spacing before the sentence, so that every position is learnt.
        rows = [[(".", "O")] * rng.randrange(30) + sentence(rng) for _ in range(16)]
        batch = tokenizer(
            [[w for w, _ in row] for row in rows], is_split_into_words=True, padding=True,
            truncation=True, return_tensors="pt",
        )  # fmt: skip
        labels = torch.full(batch["input_ids"].shape, -100)
        for i, row in enumerate(rows):
            seen = None
            for j, word in enumerate(batch.word_ids(i)):
                if word is not None and word != seen:
                    labels[i, j] = tags.index(row[word][1])
                seen = word
        keep = {k: batch[k] for k in ("input_ids", "attention_mask")}
        model(**keep, labels=labels).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def byte_level() -> PreTrainedTokenizerFast:
    """Return a byte-level tokenizer, as language models have."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<|endoftext|>"], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    corpus = [" ".join([*GIVEN, *FAMILY, *PLACES, *SHAPES]), json.dumps({"person name": []})]
    tokenizer.train_from_iterator(corpus, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|endoftext|>")


def language_model(folder: Path, *, taught: dict[str, str], steps: int = 60) -> Path:
    """Teach a language model the answers to a few prompts by heart; with none, it rambles."""
    torch.manual_seed(0)
    tokenizer = byte_level()
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=64, intermediate_size=128, num_hidden_layers=2,
        num_attention_heads=4, max_position_embeddings=1024,
        eos_token_id=tokenizer.eos_token_id, bos_token_id=None,
    ))  # fmt: skip
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for _ in range(steps if taught else 0):
        for question, answer in taught.items():
            asked = tokenizer(question)["input_ids"]
            ids = torch.tensor([[*asked, *tokenizer(answer + "<|endoftext|>")["input_ids"]]])
            labels = ids.clone()
            labels[0, : len(asked)] = -100
            model(input_ids=ids, labels=labels).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def spacy_ner(folder: Path) -> Path:
    """Train a spaCy pipeline on the same sentences."""
    import spacy
    from spacy.training import Example

    spacy.util.fix_random_seed(0)
    rng = random.Random(0)  # noqa: S311
    nlp = spacy.blank("en")
    nlp.add_pipe("ner")
    examples = []
    for _ in range(60):
        words = sentence(rng)
        text, places, entities = "", [], []
        for word, tag in words:
            places.append((len(text), len(text) + len(word), tag))
            text += word + " "
        for start, end, tag in places:
            if tag[0] == "B":
                entities.append((start, end, {"PER": "PERSON", "LOC": "GPE"}[tag[2:]]))
            elif tag[0] == "I":
                entities[-1] = (entities[-1][0], end, entities[-1][2])
        examples.append(Example.from_dict(nlp.make_doc(text.strip()), {"entities": entities}))
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(4):
        nlp.update(examples, sgd=optimizer)
    for _ in range(4):
        for i in range(0, len(examples), 10):
            nlp.update(examples[i : i + 10], sgd=optimizer)
    nlp.to_disk(folder)
    return folder


def spacy_ruler(folder: Path) -> Path:
    """Save a spaCy pipeline of rules alone."""
    import spacy

    nlp = spacy.blank("en")
    ruler: Any = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": "Maria Keller"},
                        {"label": "CARDINAL", "pattern": "seven"}])  # fmt: skip
    nlp.to_disk(folder)
    return folder


def gliner_model(folder: Path, *, steps: int = 300) -> Path:
    """Train a GLiNER on the same sentences, asked for `person name` and `place`."""
    from gliner import GLiNER
    from gliner.config import GLiNERConfig
    from transformers import BertModel

    torch.manual_seed(0)
    rng, tokenizer = random.Random(0), word_piece()  # noqa: S311
    tokenizer.model_max_length = 96
    encoder = BertConfig(
        vocab_size=len(tokenizer), hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=96, max_position_embeddings=128,
    )  # fmt: skip
    backbone = folder.with_name(f"{folder.name}-backbone")
    BertModel(encoder).save_pretrained(backbone)
    tokenizer.save_pretrained(backbone)
    config = GLiNERConfig(
        model_name=str(backbone), hidden_size=48, max_width=4, max_len=60, dropout=0.0,
        encoder_config=encoder.to_dict(), span_mode="markerV0", num_rnn_layers=0,
    )  # fmt: skip
    model = GLiNER.from_config(config, backbone_from_pretrained=False)
    collator = model.data_collator_class(
        model.config, data_processor=model.data_processor, prepare_labels=True
    )
    optimizer = torch.optim.AdamW(model.model.parameters(), lr=2e-3)
    # A rate that falls to 0 ends well with every seed; a constant one ends in a spike with some.
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=steps)
    model.model.train()
    kinds = {"PER": "person name", "LOC": "place"}
    for _ in range(steps):
        rows = []
        for _ in range(4):
            # Sentences before and behind, since a long text is read in windows of several.
            words = [(".", "O")] * rng.randrange(20)
            for _ in range(rng.randrange(1, 4)):
                words += sentence(rng)
            ner: list[list[Any]] = []
            for i, (_, tag) in enumerate(words):
                if tag[0] == "B":
                    ner.append([i, i, kinds[tag[2:]]])
                elif tag[0] == "I":
                    ner[-1][1] = i
            rows.append({"tokenized_text": [w for w, _ in words], "ner": ner})
        # GLiNER's own order of labels differs from process to process, by their string hashes.
        batch = collator(rows, entity_types=[list(kinds.values())] * len(rows))
        model.model(**batch).loss.backward()
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
    model.eval()
    model.save_pretrained(str(folder))
    return folder
