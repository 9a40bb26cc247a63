"""docker-compose.yml: the zones are apart, and every service's command is one that runs."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.end_to_end.command import environment, sage_rag, service

ROOT = Path(__file__).parents[2]
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())[
    "services"
]


def test_there_is_one_service_per_zone() -> None:
    assert set(SERVICES) == {"indexer", "server", "edge"}


def test_key_material_reaches_the_owner_and_the_edge_alone() -> None:
    holders = {name for name, s in SERVICES.items() if s.get("secrets")}
    assert holders == {"indexer", "edge"}
    server = str(SERVICES["server"])
    assert "secret" not in server
    assert "./keys" not in server
    assert "PASSPHRASE" not in server


def test_the_server_reads_published_versions_and_hashes_of_api_keys_and_nothing_else() -> None:
    assert SERVICES["server"]["volumes"] == [
        "./home/corpora:/home/sage/corpora:ro",
        "./home/access:/home/sage/access:ro",
    ]


def test_the_indexer_has_no_network_and_the_edge_is_published_on_loopback() -> None:
    assert SERVICES["indexer"]["network_mode"] == "none"
    assert all(port.startswith("127.0.0.1:") for port in SERVICES["edge"]["ports"])
    assert "ports" not in SERVICES["server"]


@pytest.mark.slow
def test_the_steps_before_the_first_service_run_as_written(tmp_path: Path) -> None:
    head = (ROOT / "docker-compose.yml").read_text().partition("\n\n")[0].splitlines()
    steps = [line[4:] for line in head if line.startswith("#   ")]
    before = steps[: next(i for i, s in enumerate(steps) if s.startswith("docker compose"))]
    shim = f'sage-rag() {{ "{sys.executable}" -m sage_rag.rag_server "$@"; }}'
    (tmp_path / "notes.jsonl").touch()
    script = "\n".join(["set -e", shim, *before])
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for secret in ("clinic.keyset", "passphrase", "edge.key"):
        assert stat.S_IMODE((tmp_path / "keys" / secret).stat().st_mode) == 0o600


@pytest.mark.slow
def test_every_services_command_runs(tmp_path: Path) -> None:
    """The commands as they stand in the file, on paths and ports of this test."""
    (tmp_path / "passphrase").write_text("correct horse\n")
    keyset = str(tmp_path / "keyset")
    secret = ["--passphrase-file", str(tmp_path / "passphrase")]
    assert sage_rag("keys", "new", "--out", keyset, *secret).returncode == 0

    def command(name: str, **ports: str) -> list[str]:
        here = {
            "/run/secrets": str(tmp_path),
            "/corpus": str(ROOT / "examples" / "handbook"),
            "/home/sage": str(tmp_path / "home"),
            "0.0.0.0": "127.0.0.1",  # noqa: S104 - what the file says, replaced here
            **ports,
        }
        parts = list(SERVICES[name]["command"])
        for old, new in here.items():
            parts = [part.replace(old, new) for part in parts]
        return parts

    done = sage_rag(*command("indexer"))
    assert done.returncode == 0, done.stderr
    (tmp_path / "server").mkdir()
    made = sage_rag(
        *("token", "new", "--home", str(tmp_path / "server"), "--name", "edge"),
        *("--out", str(tmp_path / "server_key")),
    )
    assert made.returncode == 0, made.stderr
    (tmp_path / "home" / "corpora").rename(tmp_path / "server" / "corpora")
    serve = [part.replace("/home", "/server") if "home=" in part else part
             for part in command("server", **{"port=8000": "port=0"})]  # fmt: skip
    with service(*serve, log=tmp_path / "server.log", env=environment()) as server:
        edge = command("edge", **{"port=8001": "port=0", "http://server:8000": server.url})
        with service(*edge, log=tmp_path / "edge.log", env=environment()) as running:
            assert running.url.startswith("http://127.0.0.1:")
