import asyncio
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from pydantic import SecretStr

from sage_rag.common.exceptions import InputError, UpstreamError
from sage_rag.rag_server.edge.sync import pull_versions
from sage_rag.rag_server.edge.upstream import server_at

ADDRESSES = [
    *("", "127.0.0.1:8000", "ftp://x", "http://", "file:///etc", "http://[::1", "http://h:x"),
    *("http://user:pw@x", "http://:pw@x", "http://h:99999999"),
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_that_does_not_fit_is_refused_and_not_shown(address, tmp_path):
    for use in (server_at, lambda server: pull_versions(server, tmp_path)):
        with pytest.raises(InputError, match="address is not valid") as caught:
            use(address)
        assert "pw" not in caught.value.message


def test_the_servers_key_does_not_show():
    assert "sk-canary" not in repr(vars(server_at("http://x", api_key=SecretStr("sk-canary"))))


class Listing(BaseHTTPRequestHandler):
    """Answers every GET with an empty list."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"[]")

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@pytest.fixture
def encrypted(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Serve with a certificate that no public authority signed; yield address and certificate."""
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    names = ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(["openssl", *made, *files, *names], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with HTTPServer(("127.0.0.1", 0), Listing) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"https://localhost:{server.server_port}", certificate
        server.shutdown()


async def listed(address: str, ca: Path | None) -> tuple[int, object]:
    upstream = server_at(address, ca=ca)
    try:
        return await upstream.get("/v1/models")
    finally:
        await upstream.close()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_a_private_authority_is_trusted_where_it_is_named_and_only_there(
    encrypted: tuple[str, Path],
) -> None:
    address, certificate = encrypted
    assert asyncio.run(listed(address, certificate)) == (200, [])
    with pytest.raises(UpstreamError, match="certificate is not trusted") as caught:
        asyncio.run(listed(address, None))
    assert "--server-ca" in (caught.value.hint or "")


def test_a_file_without_a_certificate_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("none")
    for file in (tmp_path / "ca.pem", tmp_path / "absent.pem"):
        with pytest.raises(InputError, match="holds no certificate"):
            server_at("https://localhost", ca=file)
