import pytest
from pydantic import SecretStr

from sage_rag.common.exceptions import InputError
from sage_rag.rag_server.edge.upstream import Upstream


@pytest.mark.parametrize(
    "address", ["", "127.0.0.1:8000", "ftp://x", "http://", "http://user:pw@x", "file:///etc"]
)
def test_an_address_that_does_not_fit_is_refused_and_not_shown(address):
    with pytest.raises(InputError) as caught:
        Upstream(address)
    assert "pw" not in caught.value.message


def test_the_servers_key_does_not_show():
    assert "sk-canary" not in repr(vars(Upstream("http://x", api_key=SecretStr("sk-canary"))))
