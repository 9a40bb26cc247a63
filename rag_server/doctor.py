"""`sage-rag doctor`: check an installation, a home folder and a keyset file."""

from __future__ import annotations

import importlib
import platform
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from sage_rag.common.exceptions import SageRagError

_PACKAGES = (
    "bm25s fastapi httptools httpx jinja2 networkx numpy openai Crypto pydantic_settings py3langid"
    " rich safetensors scipy sentence_transformers snowballstemmer tokenizers torch transformers"
    " uvicorn"
).split()

Check = tuple[str, Callable[[], str]]
"""A name, and a function that returns a remark or raises an error."""


class FailedCheckError(SageRagError):
    """A check found a fault."""


def doctor(
    home: Annotated[
        Path | None, typer.Option(help="Also verify its corpora, and that it contains no key.")
    ] = None,
    keyset: Annotated[
        Path | None, typer.Option(help="Also check this keyset file; needs no passphrase.")
    ] = None,
) -> None:
    """Check Python, packages, the shipped models, FAISS and the cipher; download nothing.

    Exits with 1 if a check fails.

    Example: sage-rag doctor --home home --keyset keys/clinic.keyset
    """
    failed = False
    for name, passed, remark in examine(checks(home, keyset)):
        failed = failed or not passed
        typer.echo(f"{'ok  ' if passed else 'FAIL'}  {name:<22}  {remark}")
    if failed:
        raise typer.Exit(1)


def examine(all_checks: Iterator[Check]) -> Iterator[tuple[str, bool, str]]:
    """Run checks; yield name, outcome and remark of each."""
    for name, check in all_checks:
        try:
            yield name, True, check()
        except SageRagError as error:
            yield name, False, error.message + (f" (hint: {error.hint})" if error.hint else "")
        except Exception as error:  # noqa: BLE001 - a broken installation fails in many ways
            yield name, False, type(error).__name__


def checks(home: Path | None, keyset: Path | None) -> Iterator[Check]:
    """Yield the checks, fast ones first."""
    yield "python", platform.python_version
    for package in _PACKAGES:
        yield package, lambda package=package: check_package(package)  # type: ignore[misc]
    yield "cipher", check_cipher
    yield "faiss", check_faiss
    yield "embedding model", check_embedder
    yield "recognizer", check_recognizer
    yield "reader", check_reader
    if keyset is not None:
        yield "keyset", lambda: check_keyset(keyset)
    if home is not None:
        yield "API keys", lambda: check_api_keys(home)
        yield "no key in home", lambda: check_no_key(home)
        yield from _corpora(home)


def check_package(name: str) -> str:
    """A dependency can be imported."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        raise FailedCheckError("cannot be imported", hint="reinstall sage-rag") from None
    return str(getattr(module, "__version__", "present"))


def check_cipher() -> str:
    """AES-SIV reproduces the test vector of RFC 5297, appendix A.1."""
    from Crypto.Cipher import AES

    key = bytes.fromhex("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    cipher = AES.new(key, AES.MODE_SIV)
    cipher.update(bytes.fromhex("101112131415161718191a1b1c1d1e1f2021222324252627"))
    body, tag = cipher.encrypt_and_digest(bytes.fromhex("112233445566778899aabbccddee"))
    expected = "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c"
    if (tag + body).hex() != expected:
        raise FailedCheckError("AES-SIV differs from RFC 5297", hint="reinstall pycryptodome")
    return "AES-SIV agrees with RFC 5297, A.1"


def check_faiss() -> str:
    """FAISS writes and opens an index, and finds each vector as its own nearest neighbour."""
    import tempfile

    import numpy as np

    from sage_rag.indexer.stores.faiss import FaissIndex

    vectors = np.eye(8, dtype=np.float32)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "vectors.faiss")
        FaissIndex.write(vectors, path)
        index = FaissIndex.open(path)
        found = [index.search(vector, 1)[0][0] for vector in vectors]
    if found != list(range(len(vectors))):
        raise FailedCheckError("FAISS does not find what was added", hint="reinstall faiss-cpu")
    return "adds and finds"


def check_embedder() -> str:
    """The packaged model loads without a network; equal texts have equal vectors."""
    from sage_rag.indexer.embedding import embedder_called

    embedder = embedder_called()
    texts = ["The clinic opens at nine.", "The clinic opens at nine.", "Bread needs yeast."]
    vectors = embedder.embed(texts)
    same, other = float(vectors[0] @ vectors[1]), float(vectors[0] @ vectors[2])
    if vectors.shape != (3, 384) or not 0.999 < same < 1.001 or other > 0.9:
        raise FailedCheckError("the embedding model returns wrong vectors")
    return f"{embedder.name}, {vectors.shape[1]} dimensions"


def check_recognizer() -> str:
    """The shipped recognizer finds a name and a telephone number."""
    from sage_rag.privacy.recognizers.default import default_recognizer

    text = "Maria Keller has a sore throat; ring +49 30 901820."
    found = {text[span.start : span.end] for span in default_recognizer().recognize(text)}
    if not found >= {"Maria Keller", "+49 30 901820"}:
        raise FailedCheckError("the recognizer does not find names", hint="reinstall sage-rag")
    return "finds a name and a number"


def check_reader() -> str:
    """The shipped reader distinguishes a text that answers a question from one that does not."""
    from sage_rag.agents.reading.reader import Reader

    texts = ["The clinic opens at nine. Bread needs yeast.", "The clinic has a new door."]
    stated, missing = Reader().read("When does the clinic open?", texts)
    if not stated.probability > 0.5 > missing.probability:
        raise FailedCheckError("the reader misreads", hint="reinstall sage-rag")
    return "finds an answer, and none where there is none"


def check_keyset(path: Path) -> str:
    """A keyset is sealed, complete and not readable for other users."""
    from sage_rag.privacy.keyset.files import describe_keyset

    described = describe_keyset(path)
    return f"primary {described['primary']}, {len(described['key_ids'])} key(s)"


def check_no_key(home: Path) -> str:
    """The home folder contains no keyset."""
    from sage_rag.rag_server.keyguard import files_under, refuse_keys

    if not home.is_dir():
        raise FailedCheckError(f"there is no folder `{home}`")
    refuse_keys(home, {})
    return f"none in {sum(1 for _ in files_under(home))} files"


def check_api_keys(home: Path) -> str:
    """The home's file of API keys, if there is one, is valid and not readable for other users."""
    from sage_rag.rag_server.access.keys import default_file, read_keys

    file = default_file(home)
    keys = read_keys(file)
    if not file.exists():
        return "none; make one: sage-rag token new --help"
    if file.stat().st_mode & 0o077:
        raise FailedCheckError("other users can read the file", hint=f"chmod 600 {file}")
    return f"{len(keys)}, with scopes {', '.join(sorted({s for k in keys for s in k.scopes}))}"


def _corpora(home: Path) -> Iterator[Check]:
    from sage_rag.indexer.versions import list_corpora

    for path in sorted(home.glob("owner/*/corpus.toml")):
        yield f"corpus file {path.parent.name}", lambda path=path: check_corpus_file(path)  # type: ignore[misc]
    for name in list_corpora(home):
        yield f"corpus {name}", lambda name=name: check_corpus(home, name)  # type: ignore[misc]


def check_corpus_file(path: Path) -> str:
    """A corpus file can be read, and its settings fit together."""
    from sage_rag.indexer.corpus_file import read_corpus_file
    from sage_rag.indexer.wiring import recipe_of

    return f"recipe {recipe_of(read_corpus_file(path)).name}"


def check_corpus(home: Path, name: str) -> str:
    """The files of a corpus's current version are unchanged."""
    from sage_rag.indexer.versions import current_path, open_version

    version = open_version(current_path(home, name), verify=True)
    remark = f"version {version.manifest.version}, {len(version)} passages, all files unchanged"
    version.close()
    return remark
