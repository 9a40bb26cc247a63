"""Tiny chat models, made on the spot, that know a few answers by heart."""

from __future__ import annotations

from pathlib import Path

from transformers import AutoTokenizer

from tests.privacy.recognizers.backends.tiny import language_model

TEMPLATE = (
    "{% for m in messages %}({{ m.role }}) {{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}(assistant) {% endif %}"
)
STRICT_TEMPLATE = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
    + TEMPLATE
)


def chat_folder(folder: Path, taught: dict[str, str], template: str | None = TEMPLATE) -> Path:
    """Save a model that knows these prompts, as the template writes them."""
    language_model(folder, taught=taught, steps=50)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)
    return folder
