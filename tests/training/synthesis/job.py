"""A small synthesis job with a codebook; run as a program it kills itself in the middle.

    python -m tests.training.synthesis.job FOLDER DONE

DONE: the number of finished documents at which the process ends by SIGKILL; `write` for the moment
at which the first shard is written; `never`.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from sage_rag.privacy.keyset.keyset import Keyset, key_id_of
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.training.owner_folder import OWNER
from sage_rag.training.synthesis import run
from sage_rag.training.synthesis.encryption import CipherName, cipher_named
from sage_rag.training.synthesis.entities import EntityReader
from sage_rag.training.synthesis.run import Summary, SynthesisJob, run_synthesis
from sage_rag.training.synthesis.synthesis import Choices, Synthesizer
from tests.training.synthesis.texts import documents, recognizer

KEY = b"not a secret: these keys are the"
KEYSET = Keyset({key_id_of(KEY): KEY}, key_id_of(KEY))
SETTINGS = {"corpus": "invented", "recipe": "soe", "cipher": "codebook", "encrypted": "before"}


def job(folder: Path, count: int = 20, tokens: int = 600) -> SynthesisJob:
    """Return a job over invented documents."""
    reader = EntityReader(recognizer(), preset("soe-all"))

    def build(cipher: EntityCipher | None) -> Synthesizer:
        return Synthesizer(reader, cipher, Choices(tokens=tokens))

    def open_cipher():  # type: ignore[no-untyped-def]
        return cipher_named(CipherName.CODEBOOK, KEYSET, "invented", folder / OWNER)

    return SynthesisJob(documents(count), folder, open_cipher, build, SETTINGS, "codebook/invented")


def quiet(stage: str, done: int, total: int) -> None:
    """Show no progress."""


def run_job(folder: Path, **options: int) -> Summary:
    """Run the job to its end."""
    return run_synthesis(job(folder, **options), quiet)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(folder: Path, point: str) -> None:
    """Run the job, and die at the point."""
    if point == "write":
        unchanged = run.write_page

        def dying_page(*arguments: object) -> None:
            _die()
            unchanged(*arguments)  # type: ignore[arg-type]

        run.write_page = dying_page  # type: ignore[assignment]

    def progress(stage: str, done: int, total: int) -> None:
        if str(done) == point:
            _die()

    run_synthesis(job(folder), progress)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
