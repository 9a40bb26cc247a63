"""Read a corpus twice in one run, and check that it did not change between the readings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.changes import DocumentKey, key_of
from sage_rag.indexer.corpus import Document, read_corpus
from sage_rag.indexer.job import IndexJob
from sage_rag.indexer.timing import timed_items


class CorpusReading:
    """The documents of a job's corpus; it keeps their keys, never their texts."""

    def __init__(self, job: IndexJob) -> None:
        self._job = job
        self.keys: list[DocumentKey] = []
        """The key of each document, in reading order; complete after the first reading."""
        self.blank = 0
        """Records without any text; complete after the first reading."""

    @property
    def contents(self) -> dict[str, str]:
        """The content hash of each document, by document hash."""
        return {key.document_hash: key.content_hash for key in self.keys}

    def first(self) -> Iterator[Document]:
        """Read the corpus for the first time.

        A line that cannot be read is thus reported before hours of work, not after.

        Raises:
            InputError: also when no document has one of the job's `answer_fields`.
        """
        names: dict[str, None] = {}
        self.blank = 0
        for document in self._documents(self._count_blank):
            self.keys.append(key_of(document))
            names |= dict.fromkeys(document.fields)
            yield document
        if unknown := [name for name in self._job.answer_fields if name not in names]:
            hint = f"the documents have: {', '.join(names)[:200]}"
            raise InputError(f"`answer_fields`: no document has a field `{unknown[0]}`", hint=hint)

    def again(self) -> Iterator[Document]:
        """Read the corpus for the second time.

        Raises:
            InputError: when it is not the same.
        """
        keys = iter(self.keys)
        for document in self._documents():
            if next(keys, None) != key_of(document):
                raise corpus_changed()
            yield document
        if next(keys, None) is not None:
            raise corpus_changed()

    def _count_blank(self) -> None:
        self.blank += 1

    def _documents(self, on_blank: Callable[[], None] | None = None) -> Iterator[Document]:
        job = self._job
        documents = read_corpus(job.source, job.fields, job.subject, on_blank=on_blank)
        return timed_items(documents, self._job.timer, "read")


def corpus_changed() -> InputError:
    """Return the error for a corpus that changes during a run."""
    return InputError("the corpus changed while it was indexed", hint="start again")
