"""A published version with both layers, of invented texts."""

from __future__ import annotations

from pathlib import Path

from sage_rag.indexer.assembly import Assembly
from sage_rag.indexer.passages import CONSENSUS, Passage, passage_id
from sage_rag.indexer.publishing import publish
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.privacy.blind_index import BlindIndex
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.tokens import readable_view

SHARED = (
    "Rest and plenty of water often help against a cold.",
    "A cough that lasts three weeks should be examined.",
    "Strong coffee in the evening keeps many awake.",
)
PEOPLE = {
    "Maria Keller": "has had a cough since the fire in the piano factory",
    "Anna Keller": "takes quinine against cramps in the left calf",
    "Zoë Ødegård": "has a cold, and a canary called Bismarck",
}
PLACE = "Lindau"


def token(keyset: Keyset, value: str, entity_type: EntityType = EntityType.PERSON) -> str:
    """Return the token of a value in corpus `clinic`."""
    return SivCipher(keyset, "clinic").encrypt(value, entity_type)


def records(keyset: Keyset) -> Assembly:
    """Return a record of each person; each contains the token of the place."""
    index, assembly = BlindIndex(keyset, "clinic"), Assembly()
    for name, text in PEOPLE.items():
        lives = f"in {token(keyset, PLACE, EntityType.LOCATION)}"
        fields = {"text": f"{token(keyset, name)} {text} {lives}"}
        source = token(keyset, name, EntityType.SOURCE)
        passage = Passage(passage_id(keyset, "clinic", name), source, fields)
        assembly.add(passage, words=index.words(name, EntityType.PERSON))
    return assembly.in_order_of_ids()


def consensus(keyset: Keyset, texts: tuple[str, ...] = SHARED) -> Assembly:
    """Return a passage of each text."""
    assembly = Assembly()
    for text in texts:
        name, source = passage_id(keyset, "clinic", text), token(keyset, text, EntityType.SOURCE)
        assembly.add(Passage(name, source, {"text": text}, layer=CONSENSUS))
    return assembly.in_order_of_ids()


def publish_layers(home: Path, keyset: Keyset, content: Assembly) -> Path:
    """Publish a version of corpus `clinic`."""
    embedder = HashEmbedder()
    manifest = {
        "corpus": "clinic",
        "recipe": "sage",
        "protection": "synthetic",
        "policy": "sage",
        "agents": None,
        "embedder": embedder.name,
        "key_ids": (keyset.primary,),
        "counts": {"passages": len(content.passages)},
    }
    vectors = embedder.embed([readable_view(p.text) for p in content.passages])
    return publish(
        home,
        "clinic",
        content.passages,
        vectors,
        lexical=content.lexical,
        manifest=manifest,
        report={},
    )
