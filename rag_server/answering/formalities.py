"""Formalities of judgments: how a case reached the court, who sat, and who represented whom.

The European Court of Human Rights begins each judgment with them. They say nothing of the case.
English.
"""

from __future__ import annotations

import re

from sage_rag.privacy.tokens import TOKEN, may_have_token

_PROCEDURE = re.compile(
    r"\bcases? originated in\b"
    r"|\b(?:is|are|was|were) (?:also )?represented (?:before the court )?by\b"
    r"|\bdid not designate an? agent\b"
    r"|\bapplications? (?:was|were) (?:allocated|assigned|communicated|transmitted|joined)\b"
    r"|\bcase was (?:allocated|assigned|transferred)\b"
    r"|\bcomposition of (?:its|the) sections\b"
    r"|\bchamber (?:that|which) would consider\b"
    r"|\bdecided to give notice\b|\bdecided to communicate (?:the|this) application\b"
    r"|\brequested that an interim measure\b"
    r"|\bgive[n]? priority\b|\bgrant priority to the application\b"
    r"|\b(?:admissibility and merits|merits of the application)\b"
    r"|\bdeclared (?:the|this|his|her|their) applications? (?:partly )?admissible\b"
    r"|\bfiled (?:further )?(?:written )?observations\b|\bsubmitted observations\b"
    r"|\bno hearing on the merits\b|\bthird-party comments\b"
    r"|\b(?:right to|leave to) intervene\b|\bwithdrew from sitting\b"
    r"|\bjudge elected in respect of\b|\banother elected judge\b|\bRules? \d+ (?:§|of the Rules)"
    r"|\b(?:decision|judgment) was (?:served on|communicated to)\b"
    r"|\bmay be summari[sz]ed as follows\b",
    re.IGNORECASE,
)
_ABOUT_APPLICANT = re.compile(
    r"The (?:first |second |third )?applicants?"
    r"(?:(?:,[^.;]{0,80})? (?:is|are) [^.;]{0,60}who)? (?:was|were) born (?:in|on)\b"
)
"""Birth and residence. What else the sentence says, as of a profession, is quoted on demand."""


_END = re.compile(
    r"\b(?:acquitted|adopted|agree[ds]?|agreement|allowed|annulled|approved|awarded|closed|convicted"
    r"|decided|discharged|discontinued|dismissed|ended|final|fined|found (?:a|guilty|no|that)"
    r"|granted|held that|ordered|overturned|quashed|refused|rejected|released|revoked|ruled"
    r"|sentenced|settled?|struck (?:off|out)|terminated|upheld|withdr[ae]wn?|won|lost)\b",
    re.IGNORECASE,
)
_ORIGIN = re.compile(r"\bcases? originated in\b", re.IGNORECASE)


def states_end(sentence: str) -> bool:
    """Return whether a sentence states a decision, or another end of a case.

    A long case is in several passages, of which only the last one has its end.
    """
    return _END.search(sentence) is not None and not is_formality(sentence)


def states_origin(sentence: str) -> bool:
    """Return whether a sentence states who brought a case, and against whom."""
    return _ORIGIN.search(sentence) is not None


def is_formality(sentence: str) -> bool:
    """Return whether a sentence states a formality of a judgment, and nothing of its case."""
    bare = " ".join(TOKEN.sub(" ", sentence).split()) if may_have_token(sentence) else sentence
    return bool(_PROCEDURE.search(bare) or _ABOUT_APPLICANT.match(bare))
