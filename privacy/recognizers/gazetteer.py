"""The recognizer for names of people, places and organisations, by lexicon and context.

Made to find people first: what it takes for a person wrongly costs an answer some meaning, what
it misses costs a patient their privacy. A trained tagger may stand beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from privacy.entities import EntityType
from privacy.fingerprints import source_digest
from privacy.recognizers.lexicon import Lexicon, default_lexicon
from privacy.recognizers.people import find_people
from privacy.recognizers.places import find_organizations, find_places
from privacy.recognizers.unlisted import stands_for_a_place, unlisted_rows
from privacy.recognizers.words import words_of
from privacy.spans import Span

VERSION = 1


class GazetteerRecognizer:
    """Find PERSON, LOCATION and ORGANIZATION.

    Guarantees: time linear in the length of the text; a name found once is found everywhere.
    Does not guarantee: every name; unknown single words without context stay.
    """

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        self._lexicon = lexicon or default_lexicon()
        rules = source_digest("privacy.recognizers")
        self._fingerprint = f"gazetteer-{VERSION}-{rules}-{self._lexicon.digest}"

    @property
    def fingerprint(self) -> str:
        """Version, digest of the rules, digest of the lexicon."""
        return self._fingerprint

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans; those of different types may overlap."""
        words = words_of(text, self._lexicon)
        places = [s for s in find_places(words, self._lexicon) if s.score > 0]
        several = [s for s in places if " " in text[s.start : s.end] and s.score >= 0.8]
        people = [
            p
            for p in find_people(text, words)
            if not any(s.start <= p.start and p.end <= s.end for s in several)
        ]
        unlisted = [
            Span(words[first].start, words[last].end, EntityType.LOCATION, score)
            for first, last, score in unlisted_rows(text, words)
            if stands_for_a_place(words, first)
        ]
        return [*people, *places, *find_organizations(words), *unlisted]
