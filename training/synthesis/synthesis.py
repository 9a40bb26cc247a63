"""From documents to samples: entities, graph, tuples, drafts, filter, encryption.

for sample in synthesize([SourceDocument("1", text)], cipher=cipher, k=5):
    print(sample.text)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

import networkx as nx

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.policy import Policy, preset
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.protocols import EntityCipher, Recognizer
from sage_rag.privacy.recognizers.catalog import DEFAULT_LANGUAGES, recognizer_of
from sage_rag.training.synthesis import filtering, recipes
from sage_rag.training.synthesis.association import Association, RuleAssociation
from sage_rag.training.synthesis.encryption import Finishing, When
from sage_rag.training.synthesis.entities import EntityDocument, EntityReader
from sage_rag.training.synthesis.graph import MAX_MEMBERS, THRESHOLD, entity_graph
from sage_rag.training.synthesis.recipes import Recipe, requests_of, tuples_of
from sage_rag.training.synthesis.samples import (
    CountTokens,
    Draft,
    Kind,
    Sample,
    SourceDocument,
    estimated_tokens,
)
from sage_rag.training.synthesis.writing import TemplateWriter, Writer

_BATCH = 16
"""Requests that a writer gets at once: a model answers them concurrently."""
NO_DRAFT = "the writer has no usable text"
_BARREN_TURNS = 3
"""Rounds in a row without a new text, after which a document is exhausted."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What to make of each document.

    `tokens`: the most tokens of the samples of one document. `samples`: the most samples, `None`
    for no limit. `threshold`: the weakest association that is an edge.
    """

    recipe: Recipe = Recipe.SOE
    k: int = 5
    tokens: int = 5_000
    samples: int | None = None
    seed: int = 0
    kinds: tuple[Kind, ...] = tuple(Kind)
    threshold: float = THRESHOLD

    def __post_init__(self) -> None:
        if not 2 <= self.k <= MAX_MEMBERS:
            raise InputError(f"a tuple has 2 to {MAX_MEMBERS} entities, not {self.k}")
        if self.tokens < 1 or (self.samples is not None and self.samples < 1):
            raise InputError("the samples of a document have at least one token")
        if not self.kinds:
            raise InputError("no kind of sample is named", hint=f"one of: {', '.join(Kind)}")


@dataclass(frozen=True)
class DocumentSynthesis:
    """The samples of one document, its graph, and how many drafts were refused, by reason."""

    document: EntityDocument
    graph: nx.Graph[str]
    samples: list[Sample] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)


class Synthesizer:
    """Synthesise samples from documents, one at a time.

    `cipher`: `None` gives plain samples. `when`: see `When`; a model reads placeholders in either
    case. `count_tokens`: counts the tokens of a finished text.

    Guarantees: the samples of a document depend on nothing but the document, the arguments and the
    writer's answers; the tokens of its samples never exceed the budget; no two of its texts are
    equal. With a cipher and `When.BEFORE`, no sample contains a value that the reader found and
    the policy encrypts, other than as a token or as a word of a template.
    """

    def __init__(
        self,
        reader: EntityReader,
        cipher: EntityCipher | None,
        choices: Choices,
        *,
        protector: Protector | None = None,
        association: Association | None = None,
        writer: Writer | None = None,
        count_tokens: CountTokens = estimated_tokens,
    ) -> None:
        self._reader, self._cipher, self._choices = reader, cipher, choices
        self._protector = protector
        self._association = association or RuleAssociation()
        self._writer = writer or TemplateWriter()
        self._count = count_tokens

    @property
    def fingerprint(self) -> str:
        """A name that changes whenever the samples of a document could change."""
        when = self._protector.fingerprint if self._protector else When.BEFORE
        versions = f"{filtering.VERSION}/{recipes.VERSION}"
        parts = (self._reader, self._association, self._writer)
        return "/".join((*(p.fingerprint for p in parts), versions, when, repr(self._choices)))

    def synthesize(self, source: SourceDocument) -> DocumentSynthesis:
        """Return the samples of a document and its graph.

        Raises:
            ProtectionError: when a value cannot be protected.
            SynthesisError: when the association of entities cannot be had.
        """
        document = self._reader.read(source)
        scores = self._association.scores(document)
        graph = entity_graph(list(document.mentions), scores, threshold=self._choices.threshold)
        result = DocumentSynthesis(document, graph)
        finishing = Finishing(document, self._cipher, self._protector)
        left, texts = self._choices.tokens, set[str]()
        for draft in self._drafts(result):
            text = finishing.text(draft)
            tokens = self._count(text)
            if tokens > left or len(result.samples) == self._choices.samples:
                break
            if text not in texts:
                left -= tokens
                texts.add(text)
                result.samples.append(finishing.sample(draft, source.id, text, tokens))
        return result

    def _drafts(self, result: DocumentSynthesis) -> Iterator[Draft]:
        """Yield usable drafts, until the document is exhausted."""
        seed = f"{self._choices.seed}/{result.document.id}"
        tuples = tuples_of(self._choices.recipe, result.graph, self._choices.k, seed)
        known: set[str] = set()
        turn = barren = 0
        while tuples and barren < _BARREN_TURNS:
            barren += 1
            requests = requests_of(tuples, self._choices.kinds, seed, turn)
            while batch := list(islice(requests, _BATCH)):
                for draft in self._writer.write(result.document, batch):
                    if draft is None:
                        result.refusals[NO_DRAFT] += 1
                        continue
                    if draft.text in known:
                        continue
                    if reason := filtering.refusal(result.document, draft):
                        result.refusals[reason] += 1
                        continue
                    known.add(draft.text)
                    barren = 0
                    yield draft
            turn += 1


def synthesize(
    documents: Iterable[SourceDocument],
    *,
    cipher: EntityCipher | None,
    recipe: str = Recipe.SOE,
    k: int = 5,
    tokens_per_document: int = 5_000,
    samples_per_document: int | None = None,
    seed: int = 0,
    kinds: Iterable[str] = tuple(Kind),
    threshold: float = THRESHOLD,
    when: str = When.BEFORE,
    policy: Policy | str = "soe-all",
    recognizer: Recognizer | None = None,
    languages: frozenset[str] = DEFAULT_LANGUAGES,
    association: Association | None = None,
    writer: Writer | None = None,
    count_tokens: CountTokens = estimated_tokens,
) -> Iterator[Sample]:
    """Yield the samples of each document, in order.

    `cipher`: `None` gives plain samples. With `samples_per_document` and a large budget of tokens
    they are the texts of the encrypted ones with values instead of tokens.
    `recognizer`: the default one where it is not given. `association` and `writer`: rules and
    templates where they are not given. See `Synthesizer` and `Choices`.

    Raises:
        InputError: for a `k`, a recipe, a kind or a policy that cannot be used.
        ProtectionError: when a value cannot be protected; the samples before it are whole.
    """
    try:
        chosen = Choices(
            Recipe(recipe),
            k,
            tokens_per_document,
            samples_per_document,
            seed,
            tuple(Kind(kind) for kind in kinds),
            threshold,
        )
        after = When(when) is When.AFTER
    except ValueError as error:
        raise InputError(str(error)) from None
    rules = preset(policy) if isinstance(policy, str) else policy
    finder = recognizer or recognizer_of((), thresholds=rules.thresholds)
    reader = EntityReader(finder, rules, languages)
    synthesizer = Synthesizer(
        reader,
        cipher,
        chosen,
        protector=Protector(finder, rules, cipher) if after and cipher else None,
        association=association,
        writer=writer,
        count_tokens=count_tokens,
    )
    for document in documents:
        yield from synthesizer.synthesize(document).samples
