"""The server of an edge that holds the index itself."""

from __future__ import annotations

from sage_rag.rag_server.app import close_services, create_app
from sage_rag.rag_server.edge.transport import AppTransport
from sage_rag.rag_server.edge.upstream import Upstream
from sage_rag.rag_server.services import Services


class LocalUpstream(Upstream):
    """Search the corpora of a local folder in this process, with the code of the server.

    Guarantees: without a chat model, a request opens no connection, so no one learns what is asked,
    nor which passages are read. The search gets what a server would get: questions with tokens.
    With a chat model, the model's endpoint gets the pseudonymised question and the passages found.
    """

    def __init__(self, services: Services) -> None:
        """Take over the services; `close` closes them."""
        super().__init__(AppTransport(create_app(services)))
        self._services = services

    async def close(self) -> None:
        """Close the corpora."""
        await super().close()
        await close_services(self._services)
