"""The one place that builds an `IndexJob`: from a corpus file, a keyset and replaced parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from sage_rag.agents.attributes import load_attributes
from sage_rag.agents.baselines import baseline_roles
from sage_rag.agents.chat.calls import ModelCalls
from sage_rag.agents.chat.options import chat_model
from sage_rag.agents.model.adversary import ModelAdversary
from sage_rag.agents.model.consensus import ConsensusWriter
from sage_rag.agents.model.domains import load_domain
from sage_rag.agents.model.recognizer import LlmRecognizer
from sage_rag.agents.model.roles import model_roles
from sage_rag.agents.protocols import CorpusAttributes, Roles
from sage_rag.agents.refinement import DEFAULT_OPTIONS, RefinementOptions
from sage_rag.agents.rules.roles import rules_roles
from sage_rag.common.exceptions import InputError
from sage_rag.indexer.corpus import read_corpus
from sage_rag.indexer.corpus_file import CorpusFile, EngineName
from sage_rag.indexer.embedding import embedder_called
from sage_rag.indexer.engines.local import Engine, in_process, on_processes
from sage_rag.indexer.engines.models import ModelSetup
from sage_rag.indexer.engines.ray import on_ray
from sage_rag.indexer.generated import check_generated
from sage_rag.indexer.job import IndexJob
from sage_rag.indexer.passages import CONSENSUS, RECORDS, Layer
from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.recipes import Recipe, recipe_called
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import load_policy
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.catalog import (
    NO_DEFAULT,
    covered_languages,
    recognizer_of,
)
from sage_rag.privacy.recognizers.chain import ChainRecognizer

REPLIES = "replies.sqlite"
_NEED_A_MODEL = ("attributes_per_field", "domain", "two_calls", "adversary")


def recipe_of(corpus: CorpusFile) -> Recipe:
    """Return the recipe with the policy and the limits that the file sets.

    It treats the layer of records, if there is one.

    Raises:
        InputError: for an unknown recipe or domain, a policy for a recipe without one, or layers
            that the recipe does not make.
    """
    layers = layers_of(corpus)
    name = corpus.recipe
    if RECORDS not in layers and name != CONSENSUS:
        raise InputError(
            f"layer `{CONSENSUS}` alone has no use for recipe `{name}`",
            hint=f"--recipe {CONSENSUS}, or --layers {CONSENSUS},{RECORDS} for both",
        )
    if RECORDS in layers and name == CONSENSUS:
        raise InputError(
            f"recipe `{CONSENSUS}` makes no layer `{RECORDS}`",
            hint="name that of the records: --recipe encrypted, or --recipe sage with a model",
        )
    policy = corpus.policy
    if policy is None and corpus.domain is not None:
        policy = load_domain(corpus.domain).policy
    recipe = recipe_called(name, policy, corpus.limits)
    if CONSENSUS not in layers and corpus.consensus.model_fields_set:
        raise InputError("`consensus.k`: only for recipe or layer `consensus`")
    if CONSENSUS in layers and recipe.policy is None:
        raise InputError(f"recipe `{name}` protects nothing, so there is no layer `consensus`")
    return recipe


def layers_of(corpus: CorpusFile) -> tuple[Layer, ...]:
    """Return the layers of a version: those that the file names, or the recipe's one."""
    return corpus.layers or _own_layer(corpus.recipe)


def _own_layer(recipe: str) -> tuple[Layer, ...]:
    return (CONSENSUS,) if recipe == CONSENSUS else (RECORDS,)


def model_of(corpus: CorpusFile, owner_folder: Path, *, keep: bool = True) -> ModelCalls | None:
    """Return the run's one model, if the file names one; the caller closes it.

    Without `keep` no answer is stored.
    """
    if not corpus.model.given:
        return None
    if keep:
        owner_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    cache = owner_folder / REPLIES if keep else None
    return chat_model(corpus.model, concurrency=corpus.concurrency, cache=cache)


def index_job(
    corpus: CorpusFile,
    name: str,
    home: Path,
    keyset: Keyset | None,
    *,
    model: ModelCalls | None = None,
    recipe: Recipe | None = None,
    recognizer: Recognizer | None = None,
    embedder: Embedder | None = None,
    roles: Roles | None = None,
    agents: bool = True,
) -> IndexJob:
    """Return the job that a corpus file describes.

    `recipe`, `recognizer`, `embedder` and `roles` replace what the file names; an engine is started
    only where neither recognizer nor embedder is replaced. Without `agents` there are no roles:
    enough to protect and judge.

    Raises:
        InputError: when settings do not fit together, or name something that does not exist.
        ProtectionError: for a generated corpus in which nothing was blocked.
        MissingExtraError: when a library is not installed.
    """
    recipe = recipe or recipe_of(corpus)
    if recipe.of_generated:
        check_generated(corpus.source)
    own = recognizer is None and embedder is None
    used = embedder or embedder_called()
    if roles is None and agents:
        roles = _roles(corpus, recipe, model)
    layers = corpus.layers or _own_layer(recipe.name)
    return IndexJob(
        source=corpus.source,
        fields=corpus.fields,
        name=name,
        home=home,
        recipe=recipe,
        keyset=keyset,
        recognizer=recognizer or _recognizer(corpus.recognizers, recipe.policy, model),
        embedder=used,
        roles=roles,
        concurrency=corpus.concurrency,
        attributes=_attributes(corpus, recipe),
        refinement=_refinement(corpus, model),
        costs=model.costs if model else None,
        engine=_engine(corpus, recipe.policy, model, used) if own else None,
        languages=covered_languages(corpus.recognizers, corpus.languages),
        subject=corpus.subject,
        consensus=corpus.consensus.options,
        consensus_writer=ConsensusWriter(model) if model and CONSENSUS in layers else None,
        layers=layers,
        answer_fields=corpus.answer_fields,
    )


def _roles(corpus: CorpusFile, recipe: Recipe, model: ModelCalls | None) -> Roles | None:
    defaults = CorpusFile.model_fields
    chosen = [key for key in _NEED_A_MODEL if getattr(corpus, key) != defaults[key].default]
    if chosen and (recipe.method != "sage" or model is None):
        raise InputError(f"`{'`, `'.join(chosen)}`: only for recipe `sage` with a model")
    if not recipe.synthesize:
        return None
    if recipe.method != "sage":
        return baseline_roles(recipe.method, model)
    if model is None:
        return rules_roles()
    return model_roles(
        model,
        joined=not corpus.two_calls,
        attributes_per_field=corpus.attributes_per_field or None,
        domain=load_domain(corpus.domain) if corpus.domain else None,
    )


def _attributes(corpus: CorpusFile, recipe: Recipe) -> CorpusAttributes | None:
    if corpus.attributes is None:
        return None
    if recipe.method != "sage":
        raise InputError(f"recipe `{recipe.name}` takes no `attributes`")
    first = next(read_corpus(corpus.source, corpus.fields, corpus.subject))
    return load_attributes(corpus.attributes, list(first.fields))


def _refinement(corpus: CorpusFile, model: ModelCalls | None) -> RefinementOptions:
    """Return how records are refined; agents that ask a model work as a team."""
    if model is None:
        return DEFAULT_OPTIONS
    from sage_rag.agents.team.conversation import team

    adversary = ModelAdversary(model) if corpus.adversary else None
    return RefinementOptions(adversary=adversary, conversation=team)


def _engine(
    corpus: CorpusFile, policy: str | None, model: ModelCalls | None, embedder: Embedder
) -> Callable[[], Engine] | None:
    """Return what starts the engine; `None` for one process and no recognizer that asks a model.

    A recognizer that asks a model stays in this process, with the model's budget.
    """
    names, threads, workers = corpus.recognizers, corpus.concurrency, corpus.workers
    endpoint = _endpoint_recognizer(names, model)
    if corpus.engine is EngineName.LOCAL and workers == 1:
        if endpoint is None:
            return None
        reads = working_recognizer(names, policy)
        return partial(in_process, reads, embedder, threads=threads, endpoint=endpoint)
    setup = ModelSetup(partial(working_recognizer, names, policy), embedder_called)
    if corpus.engine is EngineName.RAY:
        return partial(on_ray, setup, workers, threads=threads, endpoint=endpoint)
    return partial(on_processes, setup, workers, threads=threads, endpoint=endpoint)


def _recognizer(names: Sequence[str], policy: str | None, model: ModelCalls | None) -> Recognizer:
    """Return the recognizer of these names under the policy's thresholds.

    One that asks a model comes last, in whatever order they are named.
    """

    def llm(_: str) -> Recognizer:
        found = _endpoint_recognizer(names, model)
        if found is None:
            raise InputError("recognizer `llm` needs --llm-base-url and --llm-model")
        return found

    thresholds = load_policy(policy).thresholds if policy else None
    ordered = sorted(names, key=asks_a_model)
    return recognizer_of(ordered, {"llm": llm}, thresholds=thresholds)


def _endpoint_recognizer(names: Sequence[str], model: ModelCalls | None) -> LlmRecognizer | None:
    """Return the recognizer that asks a model, if one is named and there is a model."""
    if model is None or not any(map(asks_a_model, names)):
        return None
    return LlmRecognizer(model, disconnect=model.disconnect)


def working_recognizer(names: Sequence[str], policy: str | None) -> Recognizer:
    """Return the recognizer of these names without the one that asks a model; it may be empty."""
    own = [name for name in names if not asks_a_model(name)]
    return ChainRecognizer(()) if own == [NO_DEFAULT] else _recognizer(own, policy, None)


def asks_a_model(recognizer: str) -> bool:
    """Return whether a recognizer, by name, asks a model."""
    return recognizer.partition(":")[0] == "llm"
