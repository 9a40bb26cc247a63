"""Detect the language of a text by its script and function words; linear time, no model.

It detects that a draft has another language than its original; it does not know every language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_MIN_TOKENS = 8
"""A shorter text shows no language: a name, a Latin diagnosis, a dose."""
_MIN_HITS = 4
_MIN_SHARE = 0.08
"""The share of the tokens. It is about 0.35 in English prose, and near 0 in keywords and lists."""
_MIN_LEAD = 2
"""The hits of the first language over those of the second: related languages share short words."""
_SCRIPT_SHARE = 0.5
"""The script of a text is that of more than this share of its tokens."""
_KANA_SHARE = 0.1
"""Japanese has a far larger share of kana, Chinese none."""

_SCRIPTS = (
    ("kana", re.compile(r"[\u3040-\u30ff]")),
    ("han", re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")),
    ("hangul", re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")),
    ("cyrillic", re.compile(r"[\u0400-\u052f]")),
    ("greek", re.compile(r"[\u0370-\u03ff]")),
    ("arabic", re.compile(r"[\u0600-\u06ff]")),
    ("hebrew", re.compile(r"[\u0590-\u05ff]")),
    ("devanagari", re.compile(r"[\u0900-\u097f]")),
    ("thai", re.compile(r"[\u0e00-\u0e7f]")),
    ("latin", re.compile(r"[a-z\u00df-\u024f]")),
)
_FUNCTION_WORDS = {
    "en": "the and of is are was with that this for have has had my you your it not be from which "
    "they she he we but can will should would there been or as at by what when if do",
    "de": "und der die das ist sind nicht mit ein eine einen zu den dem für ich sie wir von wird "
    "auch sich bei nach haben hat wie oder aber wenn dass kann seit noch nur mein",
    "fr": "le les et est une pas dans pour avec qui je vous du ce il elle sur au sont mon votre "
    "cette depuis mais ou nous ne que ont être fait très",
    "es": "el los las y es una por con para del se su mi pero está como más muy que no hay tengo "
    "desde cuando también lo son fue",
    "it": "il gli di è una per con del della che non sono mi ma anche come più ho nel alla dei si "
    "questo da suo ha molto",
    "pt": "o os as e é uma por com para do da em não que se seu minha mas está como mais muito foi "
    "tem desde quando também na no",
    "nl": "de het een en van is zijn niet met voor ik die dat op te aan er maar heeft heb ook bij "
    "naar mijn wordt kan nog wel om",
    "sv": "och att det är som en för med på inte har jag av till den om men kan vid från ett min "
    "var de efter",
    "pl": "i w na nie z się że jest do to jak od po przez ma dla mam czy ale o oraz tym był może",
    "tr": "ve bir bu için ile da de çok ne var gibi olarak daha ben benim ama mi kadar sonra olan",
}
_LANGUAGES_OF: dict[str, list[str]] = {}
for _language, _listed in _FUNCTION_WORDS.items():
    for _word in _listed.split():
        _LANGUAGES_OF.setdefault(_word, []).append(_language)


def language_of(tokens: Sequence[str]) -> str | None:
    """Return the language (`en`) or script (`han`) of a text, `None` where it is unclear.

    `tokens`: those of `privacy.words.tokenize`. Languages of a script other than Latin are not
    distinguished: Russian and Bulgarian are both `cyrillic`.
    """
    if len(tokens) < _MIN_TOKENS:
        return None
    # Function words decide almost every text; reading letters is slower.
    language = _by_function_words(tokens)
    return language if language is not None else _by_script(tokens)


def _by_function_words(tokens: Sequence[str]) -> str | None:
    hits: Counter[str] = Counter()
    for word, times in Counter(filter(_LANGUAGES_OF.__contains__, tokens)).items():
        for language in _LANGUAGES_OF[word]:
            hits[language] += times
    (first, most), (_, second) = [*hits.most_common(2), ("", 0), ("", 0)][:2]
    if most < max(_MIN_HITS, _MIN_SHARE * len(tokens)) or most < _MIN_LEAD * second:
        return None
    return first


def _by_script(tokens: Sequence[str]) -> str | None:
    scripts: Counter[str] = Counter()
    for token in tokens:
        for name, letter in _SCRIPTS:
            if letter.match(token):
                scripts[name] += 1
                break
    if scripts["kana"] > _KANA_SHARE * len(tokens):
        return "kana"
    name, most = max(scripts.items(), key=lambda item: item[1], default=("latin", 0))
    return name if name != "latin" and most > _SCRIPT_SHARE * len(tokens) else None
