"""Index a corpus with the real command, and measure time, memory and size."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from resource import struct_rusage

from pydantic import BaseModel, ConfigDict

from sage_rag.common.exceptions import UpstreamError
from sage_rag.indexer.versions import REPORT, current_path

_PASSPHRASE = "SAGE_RAG_PASSPHRASE"  # noqa: S105 - the variable's name
_KIBIBYTE = 1024


class IndexingCost(BaseModel):
    """One run of `sage-rag index`. `wall_s` includes the start of the process and its models.

    `processor_s`: of all threads and ended children, user and system; it depends less on what else
    the machine does. `None` in results of earlier versions.
    """

    model_config = ConfigDict(frozen=True)
    recipe: str
    documents: int
    published: int
    quarantined: int
    reasons: dict[str, int]
    wall_s: float
    processor_s: float | None = None
    peak_rss_bytes: int
    version_bytes: int

    @property
    def documents_per_s(self) -> float:
        """Documents per second of wall time."""
        return self.documents / self.wall_s


class OwnerCommands:
    """Runs `sage-rag` as an owner with a home folder and a new keyset under a random passphrase."""

    def __init__(self, home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.home = home
        self.keyset = home / f"study-{secrets.token_hex(4)}.keyset"
        self.passphrase = secrets.token_urlsafe(24)
        self._run(["keys", "new", "--out", str(self.keyset)])

    def index(self, corpus: Path, name: str, recipe: str, fields: Sequence[str]) -> IndexingCost:
        """Index a corpus and return its cost.

        Raises:
            UpstreamError: when the command fails.
        """
        home = ["--home", str(self.home), "--keyset", str(self.keyset)]
        plain = ["--allow-plaintext"] if recipe == "origin" else []
        command = ["index", str(corpus), "--name", name, "--recipe", recipe, *home, *plain]
        wall_s, usage = self._run([*command, "--text-fields", ",".join(fields)])
        version = current_path(self.home, name)
        report = json.loads((version / REPORT).read_text("utf-8"))
        return IndexingCost(
            recipe=recipe,
            documents=report["documents"],
            published=report["published"],
            quarantined=report["quarantined"],
            reasons=report["reasons"],
            wall_s=wall_s,
            processor_s=usage.ru_utime + usage.ru_stime,
            peak_rss_bytes=usage.ru_maxrss * _KIBIBYTE,
            version_bytes=sum(f.stat().st_size for f in version.rglob("*") if f.is_file()),
        )

    def _run(self, arguments: Sequence[str]) -> tuple[float, struct_rusage]:
        """Run `sage-rag`; return wall time in seconds, and the resources that it used."""
        program = Path(sys.executable).parent / "sage-rag"
        environment: Mapping[str, str] = {**os.environ, _PASSPHRASE: self.passphrase}
        started = time.monotonic()
        process = subprocess.Popen(
            [str(program), *arguments], env=environment, stdout=subprocess.DEVNULL
        )
        # wait4 reports the peak of this child; RUSAGE_CHILDREN reports the highest of all children.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise UpstreamError(f"`sage-rag {arguments[0]}` failed with {process.returncode}")
        return time.monotonic() - started, usage
