"""The composition root: build the services of server and edge from settings.

Each function imports what it builds: the server's process loads no recognizer and no code that
opens keysets, and the edge's process loads no index unless it has a local one.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sage_rag.agents.chat.options import IN_PROCESS
from sage_rag.common.exceptions import InputError, ProtectionError, SageRagError
from sage_rag.common.web.pool import WorkPool
from sage_rag.common.web.serving import is_loopback
from sage_rag.rag_server.access.gate import Gate
from sage_rag.rag_server.access.keys import KeyFile, default_file
from sage_rag.rag_server.observability.audit import AuditLog
from sage_rag.rag_server.settings import EdgeSettings, SearchSettings, ServeSettings, secret
from sage_rag.rag_server.unused_settings import refuse_unused

_VECTORS_KEPT = 20_000
"""Vectors of questions and sentences in memory: 30 MB with 384 dimensions."""

if TYPE_CHECKING:
    from sage_rag.agents.reading.protocols import PassageReader
    from sage_rag.indexer.protocols import Embedder
    from sage_rag.rag_server.access.meters import Meters
    from sage_rag.rag_server.answering.protocols import Answerer, ChatStream
    from sage_rag.rag_server.edge.services import EdgeServices
    from sage_rag.rag_server.edge.upstream import Upstream
    from sage_rag.rag_server.read_ahead import ReadAhead
    from sage_rag.rag_server.services import Services


def build_server(
    settings: ServeSettings, environment: Mapping[str, str], meters: Meters | None = None
) -> Services:
    """Return the services of a server's process, warmed up.

    `meters` are those of all its processes.

    Raises:
        ProtectionError: when the server can read a key, or would be open to other machines.
        InputError: when the home or an API key is missing, or settings contradict each other.
    """
    from sage_rag.rag_server.keyguard import refuse_keys

    refuse_unused(settings)
    _check_home(settings.home)
    own = [settings.llm_api_key_file] if settings.llm_api_key_file else []
    refuse_keys(settings.home, environment, own=own)
    audit = AuditLog(settings.audit_log) if settings.audit_log else None
    gate = _server_gate(settings, meters)
    return _search_services(settings, settings.home, gate, audit, settings.workers)


def _check_home(home: Path) -> None:
    if not home.is_dir():
        raise InputError(f"there is no home `{home}`", hint="create one: sage-rag index --help")


def _search_services(
    settings: SearchSettings, home: Path, gate: Gate, audit: AuditLog | None, workers: int = 1
) -> Services:
    """Return the services that search the corpora under a home folder, warmed up.

    They get the part of one of `workers` processes of the threads. Each process has a queue of full
    length, since connections are not divided equally.
    """
    from sage_rag.indexer.embedding import CachedEmbedder, VectorMemory, query_embedder
    from sage_rag.indexer.engines.cores import use_one_core
    from sage_rag.rag_server.answering.condensing import QuestionCondenser
    from sage_rag.rag_server.catalog import FolderCatalog
    from sage_rag.rag_server.corpora import CorpusSearch
    from sage_rag.rag_server.guards.quotation import MOST_WORDS
    from sage_rag.rag_server.reranking import reranker_called
    from sage_rag.rag_server.services import Services

    # The sentences of a passage are compared with each question that finds it.
    embedder = CachedEmbedder(query_embedder(settings.embedder), VectorMemory(_VECTORS_KEPT))
    embedder.embed(["warm up"])
    reranker = reranker_called(settings.reranker)
    if reranker is not None:
        reranker.scores("warm up", ["warm up"])
    pool = WorkPool(
        max(settings.threads // workers, 1),
        waiting=settings.max_waiting,
        deadline_s=settings.work_timeout_s,
        prepare=use_one_core,
    )
    model = _chat_stream(settings) if settings.answerer == "chat" else None
    return Services(
        corpora=CorpusSearch(
            FolderCatalog(home, settings.milvus),
            embedder,
            reranker,
            guarded=settings.guard,
            ahead=None if model else _read_ahead(),
        ),
        answerer=_guarded(settings, _answerer(settings, model, embedder)),
        condenser=QuestionCondenser(model) if model else None,
        top_k=settings.top_k,
        quoted_words=MOST_WORDS if settings.guard else None,
        home=home,
        audit=audit,
        gate=gate,
        cors_origins=settings.cors_origin,
        limits=settings.limits,
        searches=pool,
    )


def _read_ahead() -> ReadAhead:
    """Return what reads the sentences of passages before a question needs them."""
    from sage_rag.rag_server.answering.sentences import KEPT_CHARACTERS, read_passage
    from sage_rag.rag_server.read_ahead import ReadAhead

    return ReadAhead(partial(read_passage, 0), KEPT_CHARACTERS)


def build_edge(settings: EdgeSettings) -> EdgeServices:
    """Return the edge's services, with the recognizer loaded.

    Raises:
        InputError: when there is no source of keys, or more than one, or settings contradict each
            other.
        ProtectionError: when other machines could read plain values without an API key, or the
            values restored before cannot be read.
        KeysetError: when the keyset cannot be opened.
    """
    from sage_rag.indexer.engines.cores import use_one_core
    from sage_rag.privacy.keyset.sources import open_keyset
    from sage_rag.privacy.policy import load_policy
    from sage_rag.rag_server.edge.index_policies import IndexPolicies
    from sage_rag.rag_server.edge.keyring import Keyring
    from sage_rag.rag_server.edge.lookups import Lookups
    from sage_rag.rag_server.edge.memory_file import MemoryFile
    from sage_rag.rag_server.edge.services import EdgeServices
    from sage_rag.rag_server.edge.shown_values import ShownValues

    refuse_unused(settings)
    gate = _edge_gate(settings)
    _check_server(settings)
    keyset = open_keyset(
        settings.keyset, settings.passphrase_file, secret_file=settings.keyset_secret
    )
    memory = MemoryFile(_memory(settings), keyset)
    shown, policies = ShownValues(memory), IndexPolicies(memory)
    for corpus, _, version in (named.partition("@") for named in settings.accept_rollback):
        policies.accept(corpus, int(version))
    from sage_rag.privacy.recognizers.catalog import recognizer_of  # slow; only with a keyset

    policy = load_policy(settings.policy) if settings.policy else None
    thresholds = policy.thresholds if policy else {}
    recognizer = recognizer_of(settings.recognizers, thresholds=thresholds)
    recognizer.recognize("warm up")
    upstream = _upstream(settings)
    return EdgeServices(
        keyring=Keyring(keyset, recognizer, policy, shown, policies),
        upstream=upstream,
        lookups=Lookups(upstream),
        exposed=settings.expose,
        audit=AuditLog(settings.audit_log) if settings.audit_log else None,
        gate=gate,
        cors_origins=settings.cors_origin,
        limits=settings.limits,
        work=WorkPool(
            settings.threads,
            waiting=settings.max_waiting,
            deadline_s=settings.work_timeout_s,
            prepare=use_one_core,
        ),
    )


def _memory(settings: EdgeSettings) -> Path:
    """Return the file of restored values: next to the keyset, unless another one is given."""
    source = settings.keyset or settings.keyset_secret
    if settings.memory is None and source is None:
        raise InputError(
            "the keys come from the environment, so no folder is known for the restored values",
            hint="--memory FILE, a file of this edge alone; it is sealed with the keys",
        )
    return settings.memory or Path(f"{source}.memory")


def _upstream(settings: EdgeSettings) -> Upstream:
    """Return the server of an edge: another machine, or the index in a local folder."""
    if settings.local is not None:
        from sage_rag.rag_server.edge.local import LocalUpstream

        if settings.sync:
            _sync(settings, settings.local)
        _check_home(settings.local)
        return LocalUpstream(_search_services(settings, settings.local, Gate(), None))
    from sage_rag.rag_server.edge.upstream import server_at

    api_key = secret(settings.server_api_key, settings.server_api_key_file)
    return server_at(
        settings.server or "",
        api_key=api_key,
        ca=settings.server_ca,
        timeout_s=settings.timeout_s,
    )


def _check_server(settings: EdgeSettings) -> None:
    if settings.sync and (settings.server is None or settings.local is None):
        raise InputError("--sync needs --server, to pull from, and --local, to pull to")
    if not settings.sync and (settings.server is None) == (settings.local is None):
        raise InputError(
            "setting `server`: give either --server or --local",
            hint="--server http://HOST:8000, or --local DIR with a copy of corpora/, or both with"
            " --sync",
        )


def _sync(settings: EdgeSettings, home: Path) -> None:
    from sage_rag.rag_server.edge.sync import pull_versions

    api_key = secret(settings.server_api_key, settings.server_api_key_file)
    pulled = pull_versions(
        settings.server or "",
        home,
        api_key=api_key,
        ca=settings.server_ca,
        timeout_s=settings.timeout_s,
    )
    logging.getLogger("sage_rag").info("pulled: %s", ", ".join(pulled) or "nothing new")


def _server_gate(settings: ServeSettings, meters: Meters | None) -> Gate:
    file = settings.tokens or default_file(settings.home)
    if not settings.insecure_no_auth:
        make = f"sage-rag token new --tokens {file} --name edge --out edge.key"
        return _gate(file, f"{make}; or --insecure-no-auth, on loopback only", meters)
    if not is_loopback(settings.host):
        raise ProtectionError(
            f"{settings.host} can be reached from other machines, which need an API key",
            hint="leave out --insecure-no-auth and make a key: sage-rag token new --help",
        )
    return Gate()


def _edge_gate(settings: EdgeSettings) -> Gate:
    if settings.tokens is not None:
        return _gate(settings.tokens, f"sage-rag token new --tokens {settings.tokens} --name NAME")
    if settings.expose and not settings.insecure_no_auth:
        raise ProtectionError(
            "other machines would read plain values without an API key",
            hint="give --tokens FILE (sage-rag token new --tokens FILE --name NAME), or"
            " --insecure-no-auth if the port can be reached from this machine only",
        )
    return Gate()


def _gate(file: Path, hint: str, meters: Meters | None = None) -> Gate:
    keys = KeyFile(file)
    if not len(keys):
        raise InputError(f"there is no API key in `{file}`", hint=hint)
    return Gate(keys, meters)


def warnings(services: Services, home: Path) -> Iterator[str]:
    """Yield warnings about the home folder and its corpora, for the operator."""
    if (home / "owner").exists():
        yield f"`{home}` contains the owner's ledger; a server needs a copy of corpora/ only"
    manifests = services.corpora.manifests(math.inf)
    if not manifests:
        yield "no corpus is published in this home; a new one is served without a restart"
    for name, found in manifests.items():
        if isinstance(found, SageRagError):
            yield f"{found.message}" + (f" ({found.hint})" if found.hint else "")
        elif found.protection == "none":
            yield f"WARNING: corpus `{name}` is NOT PROTECTED: its plain text is served"


def _guarded(settings: SearchSettings, answerer: Answerer) -> Answerer:
    from sage_rag.rag_server.guards.quotation import GuardedAnswerer

    return GuardedAnswerer(answerer) if settings.guard else answerer


def _answerer(settings: SearchSettings, model: ChatStream | None, embedder: Embedder) -> Answerer:
    if model is None:
        from sage_rag.rag_server.answering.extractive import ExtractiveAnswerer
        from sage_rag.rag_server.answering.offline import OfflineAnswerer

        return OfflineAnswerer(ExtractiveAnswerer(embedder, _reader(settings.reader)).compose)
    from sage_rag.rag_server.answering.chat import ChatAnswerer

    return ChatAnswerer(model, settings.llm_context_tokens)


def _reader(name: str) -> PassageReader | None:
    """Return the reader of a setting, warmed up; `None` for `off`."""
    if name == "off":
        return None
    reader: PassageReader
    if Path(name).is_dir():
        from sage_rag.agents.reading.backends.question_answering import QuestionAnsweringReader

        reader = QuestionAnsweringReader(Path(name))
    else:
        from sage_rag.agents.reading.reader import Reader

        if name != "shipped" and not Path(name).exists():
            raise InputError(
                f"there is no reader `{name}`: no such file or folder",
                hint="shipped, off, a file of `train reader`, or the folder of a downloaded model",
            )
        reader = Reader() if name == "shipped" else Reader(Path(name))
    reader.read("Is it warm?", ["It is warm."])
    return reader


def _chat_stream(settings: SearchSettings) -> ChatStream:
    """Return the chat model: at an endpoint, or a folder's in this process."""
    name = settings.llm_model or ""
    if name.startswith(IN_PROCESS):
        if settings.llm_base_url is not None:
            raise InputError(f"`{IN_PROCESS}` runs in this process and takes no --llm-base-url")
        from sage_rag.rag_server.backends.transformers_stream import TransformersChatStream

        return TransformersChatStream(name.removeprefix(IN_PROCESS))
    if settings.llm_base_url is None or not name:
        raise InputError(
            "answerer `chat` needs --llm-base-url and --llm-model",
            hint=f"or --llm-model {IN_PROCESS}FOLDER, for a model in this process",
        )
    from sage_rag.rag_server.backends.openai_chat import OpenAIChatStream

    api_key = secret(settings.llm_api_key, settings.llm_api_key_file)
    return OpenAIChatStream(
        settings.llm_base_url, name, api_key=api_key, timeout_s=settings.llm_timeout_s
    )
