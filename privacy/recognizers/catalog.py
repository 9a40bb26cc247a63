"""Build recognizers by the names that a command line or a settings file contains.

A recognizer is named `KIND:MODEL`, for example `gliner:urchade/gliner_multi_pii-v1` or
`token-classifier:models/names`; MODEL is a folder, or a name on the hub. Where the model has labels
of its own, `#SCHEME` names their scheme, for example `token-classifier:models/zh#cluener`.
`tagger:FILE` replaces the default recognizer's tagger.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.labels import Scheme
from sage_rag.privacy.languages import LANGUAGES
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.chain import ChainRecognizer

Build = Callable[[str], Recognizer]
"""Builds a recognizer from the MODEL part of its name."""

_BACKENDS = "sage_rag.privacy.recognizers.backends"
CATALOG: Mapping[str, str] = {
    "gliner": f"{_BACKENDS}.gliner:GlinerRecognizer",
    "nuextract": f"{_BACKENDS}.nuextract:nuextract_recognizer",
    "spacy": f"{_BACKENDS}.spacy:SpacyRecognizer",
    "token-classifier": f"{_BACKENDS}.token_classifier:TokenClassifierRecognizer",
}
"""Imported on first use: their libraries are slow to load, and some are not installed."""

_OWN_LABELS = frozenset({"spacy", "token-classifier"})

DEFAULT_LANGUAGES = frozenset({"en", "zh"})
"""Languages that the default recognizer covers: those of its trained taggers."""

NO_DEFAULT = "no-default"
"""The word that leaves out the default recognizer."""
OWN_TAGGER = "tagger:"
"""Prefix of the weights file of a tagger that replaces the shipped one."""


def recognizer_named(name: str, others: Mapping[str, Build] | None = None) -> Recognizer:
    """Build one recognizer; `others` are kinds that packages above this one add.

    Raises:
        InputError: for an unknown kind or a missing model.
        MissingExtraError: when its library is not installed.
    """
    kind, _, model = name.partition(":")
    others = others or {}
    kinds = sorted({*CATALOG, *others})
    if kind not in kinds:
        raise InputError(
            f"there is no recognizer `{kind}`",
            hint=f"KIND:MODEL with one of: {', '.join(kinds)}; or {OWN_TAGGER}FILE",
        )
    if kind in others:
        return others[kind](model)
    if not model:
        raise InputError(
            f"recognizer `{kind}` needs a model", hint=f"{kind}:FOLDER, or {kind}:NAME"
        )
    model, _, scheme = model.partition("#")
    module, _, factory = CATALOG[kind].partition(":")
    options = {"labels": _scheme(kind, scheme)} if scheme else {}
    recognizer: Recognizer = getattr(import_module(module), factory)(model, **options)
    return recognizer


def _scheme(kind: str, name: str) -> Scheme:
    if kind not in _OWN_LABELS:
        raise InputError(f"recognizer `{kind}` takes no `#{name}`: its labels are its own")
    if name not in set(Scheme):
        raise InputError(
            f"there is no label scheme `{name}`", hint=f"one of: {', '.join(sorted(Scheme))}"
        )
    return Scheme(name)


def recognizer_of(
    names: Sequence[str],
    others: Mapping[str, Build] | None = None,
    *,
    thresholds: Mapping[EntityType, float] | None = None,
) -> Recognizer:
    """Return the default recognizer and those named after it, as one.

    `thresholds`: from which score the default's tagger counts (`Policy.thresholds`).

    Guarantees: adding a recognizer never removes a span, except `tagger:FILE`, which replaces the
    shipped tagger. Only `no-default` leaves out the default, and it needs another recognizer.

    Raises:
        InputError: as `recognizer_named`, and when no recognizer is left.
        MissingExtraError: when a library is not installed.
    """
    taggers = [name.removeprefix(OWN_TAGGER) for name in names if name.startswith(OWN_TAGGER)]
    named = [n for n in names if n != NO_DEFAULT and not n.startswith(OWN_TAGGER)]
    added = [recognizer_named(name, others) for name in named]
    if NO_DEFAULT in names:
        if taggers:
            raise InputError(f"`{OWN_TAGGER}FILE` needs the default, not `{NO_DEFAULT}`")
        if not added:
            raise InputError(f"`{NO_DEFAULT}` leaves no recognizer", hint="name another one")
        return ChainRecognizer(added)
    if len(taggers) > 1:
        raise InputError("the default has one tagger", hint=f"name one {OWN_TAGGER}FILE")
    from sage_rag.privacy.recognizers.default import default_recognizer

    if taggers or thresholds:
        weights = Path(taggers[0]) if taggers else None
        default = default_recognizer(weights, tuple(sorted((thresholds or {}).items())))
    else:
        default = default_recognizer()
    return ChainRecognizer([default, *added]) if added else default


def covered_languages(names: Sequence[str], declared: Collection[str] = ()) -> frozenset[str]:
    """Return the languages, as ISO 639-1 codes, that recognizers of these names cover.

    The default covers English and Chinese, a spaCy pipeline the language that begins its name.
    `declared`: the owner's statement of what the added recognizers cover besides. Without the
    default and a statement, recognizers of no known language cover English.

    Raises:
        InputError: for a language that is not distinguished, or that no added recognizer can cover.
    """
    if unknown := sorted(set(declared) - LANGUAGES):
        raise InputError(
            f"there is no language `{unknown[0]}`",
            hint=f"ISO 639-1 codes: {', '.join(sorted(LANGUAGES))}",
        )
    added = [name for name in names if name != NO_DEFAULT]
    if declared and not added:
        raise InputError(
            "`languages` needs a recognizer that covers them",
            hint="name it in `recognizers` of the corpus file, or with --recognizer",
        )
    known = frozenset(declared) | set(filter(None, map(_pipeline_language, added)))
    return (known or frozenset({"en"})) if NO_DEFAULT in names else known | DEFAULT_LANGUAGES


def _pipeline_language(name: str) -> str | None:
    kind, _, model = name.partition(":")
    code = Path(model).name.partition("_")[0]
    return code if kind == "spacy" and code in LANGUAGES else None
