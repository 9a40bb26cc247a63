"""LlamaIndex's sentence splitter."""

from __future__ import annotations

from llama_index.core.node_parser import SentenceSplitter


def split_sentences(text: str, max_chars: int) -> list[str]:
    """Split a text at sentence borders into pieces of at most `max_chars` characters."""
    splitter = SentenceSplitter(chunk_size=max_chars, chunk_overlap=0, tokenizer=list)
    return [piece for piece in splitter.split_text(text) if piece.strip()]
