"""Each piece of a long text is found by whom the text names at its beginning."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

from sage_rag.indexer.passages import RECORDS
from sage_rag.indexer.versions import current_path, open_version
from sage_rag.privacy.blind_index import BlindIndex
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from tests.indexer.conftest import KEYSET, NAMES, Run

FIRST, SECOND, *_ = NAMES
LONG = " ".join(f"Matter number {n} was heard and put off." for n in range(200))


def records_with(home: Path, name: str, *, family: bool = False) -> set[str]:
    """Return the ids of the documents that are found by a name."""
    cipher = SivCipher(KEYSET, "clinic")
    marks = [cipher.encrypt(name, EntityType.PERSON)]
    if family:
        marks = sorted(BlindIndex(KEYSET, "clinic").words(name.split(" ")[1], EntityType.PERSON))
    with closing(open_version(current_path(home, "clinic"))) as version:
        rows = version.layers[RECORDS].rows_with(marks)
        return {cipher.decrypt(version.passage(int(row)).source) for row in rows}


def index(run: Run, corpus: Path, texts: dict[str, str]) -> None:
    rows = [json.dumps({"id": name, "text": text}) + "\n" for name, text in texts.items()]
    corpus.write_text("".join(rows))
    run(recipe="encrypted", fields=("text",))


def test_a_name_at_the_head_finds_every_piece_and_no_other_text(
    run: Run, corpus: Path, tmp_path: Path
) -> None:
    index(run, corpus, {"a": f"{FIRST} against the town. {LONG}", "b": f"{SECOND}. {LONG}"})
    for name, text in ((FIRST, "a"), (SECOND, "b")):
        pieces = records_with(tmp_path / "home", name)
        assert len(pieces) > 3
        assert {piece.partition("#")[0] for piece in pieces} == {text}
        assert records_with(tmp_path / "home", name, family=True) == pieces


def test_a_name_in_a_later_piece_finds_this_piece_alone(
    run: Run, corpus: Path, tmp_path: Path
) -> None:
    index(run, corpus, {"a": f"{FIRST} came. {LONG} {SECOND} signed."})
    assert len(records_with(tmp_path / "home", FIRST)) > len(
        records_with(tmp_path / "home", SECOND)
    )
    assert len(records_with(tmp_path / "home", SECOND)) == 1


def test_records_whose_ids_look_like_pieces_stay_apart(
    run: Run, corpus: Path, tmp_path: Path
) -> None:
    index(run, corpus, {"a#1": f"{FIRST} has a cough.", "a#2": f"{SECOND} has gout."})
    assert records_with(tmp_path / "home", FIRST) == {"a#1"}
    assert records_with(tmp_path / "home", SECOND) == {"a#2"}
