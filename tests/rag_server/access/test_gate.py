import openai
import pytest
from pydantic import SecretStr

from sage_rag.rag_server.access.gate import Gate
from sage_rag.rag_server.access.keys import KeyFile, Scope, add_key, make_key, revoke_key
from sage_rag.rag_server.access.meters import Meters
from tests.rag_server.conftest import World, ask

CHAT = "/v1/chat/completions"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "tokens.json"


def key(file, *scopes: Scope, **limits) -> dict[str, str]:
    plain, stored = make_key("edge", frozenset(scopes or {Scope.CHAT}), **limits)
    add_key(file, stored)
    return {"authorization": f"Bearer {plain}"}


def gated(world: World, file, **options) -> str:
    return world.serve(gate=Gate(KeyFile(file), Meters(**options)))


def test_every_address_but_the_open_ones_needs_a_key(world: World, file):
    headers = key(file)
    url = gated(world, file)
    app = world.apps[-1]
    paths = {*app.openapi()["paths"], "/v1/nothing", "/"}
    assert {CHAT, "/v1/models", "/healthz"} <= paths
    for path in paths:
        place = url + path.replace("{model}", "clinic")
        answers = [
            world.http.request(m, place, json=ask()) for m in ("GET", "POST", "OPTIONS", "PUT")
        ]
        if path in ("/healthz", "/readyz", "/openapi.json"):
            assert answers[0].status_code == 200
            continue
        assert {a.status_code for a in answers} == {401}, path
        assert answers[0].json()["error"]["code"] == "invalid_api_key"
        assert answers[0].headers["www-authenticate"] == "Bearer"
    assert world.http.get(url + "/v1/models", headers=headers).status_code == 200


@pytest.mark.parametrize("value", ["", "Bearer", "Bearer x", "Basic abc", "bearer sk-sage-0-0"])
def test_a_wrong_header_is_refused_and_not_repeated(world: World, file, value):
    key(file)
    response = world.http.post(
        gated(world, file) + CHAT, json=ask(), headers={"authorization": value}
    )
    assert response.status_code == 401
    assert "sk-sage-0-0" not in response.text


def test_an_openai_client_uses_its_api_key(world: World, file):
    plain = key(file)["authorization"].removeprefix("Bearer ")
    url = f"{gated(world, file)}/v1"
    with openai.OpenAI(base_url=url, api_key=plain, max_retries=0) as client:
        assert client.chat.completions.create(**ask()).choices[0].message.content
        revoke_key(file, "edge")
        with pytest.raises(openai.AuthenticationError):
            client.chat.completions.create(**ask())


def test_only_a_key_for_research_sees_scores(world: World, file):
    plain, scored = key(file), key(file, Scope.CHAT, Scope.RESEARCH)
    url = gated(world, file)
    for stream in (False, True):
        bodies = [
            world.http.post(url + CHAT, json=ask(stream=stream), headers=h).text
            for h in (plain, scored)
        ]
        assert ['"score":' in body for body in bodies] == [False, True]


def test_a_key_without_the_scope_is_refused(world: World, file):
    url = gated(world, file)
    response = world.http.post(url + CHAT, json=ask(), headers=key(file, Scope.ADMIN))
    assert (response.status_code, response.json()["error"]["code"]) == (403, "insufficient_scope")


def test_a_rate_is_kept_and_recovers_and_is_of_one_key(world: World, file):
    now = [0.0]
    url = gated(world, file, clock=lambda: now[0])
    limited, free = key(file, requests_per_minute=2), key(file)
    found = [world.http.get(url + "/v1/models/clinic", headers=limited) for _ in range(3)]
    assert [f.status_code for f in found] == [200, 200, 429]
    error = found[2].json()["error"]
    assert (error["type"], error["code"]) == ("rate_limit_error", "rate_limit_exceeded")
    assert found[2].headers["retry-after"] == "30"
    assert world.http.get(url + "/v1/models/clinic", headers=free).status_code == 200
    now[0] = 31.0
    assert world.http.get(url + "/v1/models/clinic", headers=limited).status_code == 200


def test_the_upkeep_of_an_edge_leaves_its_rate_for_questions(world: World, file):
    world.catalog.versions["clinic"].lookup = b"sealed"
    plain = key(file, requests_per_minute=2)["authorization"].removeprefix("Bearer ")
    server = gated(world, file, clock=lambda: 0.0)
    edge = world.edge(server, api_key=SecretStr(plain))
    assert [world.http.get(edge + "/readyz").status_code for _ in range(5)] == [200] * 5
    headers, lookup = {"authorization": f"Bearer {plain}"}, server + "/v1/models/clinic/lookup"
    tag = world.http.get(lookup, headers=headers).json()["tag"]
    known = [world.http.get(lookup, headers=headers, params={"known": tag}) for _ in range(5)]
    assert [found.json() for found in known] == [{"tag": tag}] * 5
    assert world.http.post(server + CHAT, json=ask(), headers=headers).status_code == 200
    assert world.http.get(lookup, headers=headers).status_code == 429
    assert world.http.post(server + CHAT, json=ask(), headers=headers).status_code == 429


def test_a_budget_of_tokens_ends(world: World, file):
    url, headers = gated(world, file), key(file, tokens_per_day=20)
    found = [world.http.post(url + CHAT, json=ask(), headers=headers).status_code for _ in range(3)]
    assert found == [200, 200, 429]


def test_keys_that_cannot_be_read_let_no_one_in(world: World, file):
    headers = key(file)
    url = gated(world, file)
    file.write_text("damaged")
    response = world.http.post(url + CHAT, json=ask(), headers=headers)
    assert (response.status_code, response.json()["error"]["code"]) == (503, "keys_unavailable")


def test_readiness_names_no_corpus_without_a_key(world: World, file):
    headers = key(file)
    url = gated(world, file)
    assert world.http.get(url + "/readyz").json() == {"status": "ready"}
    assert "clinic" in world.http.get(url + "/readyz", headers=headers).json()["corpora"]


def test_the_edge_sends_its_own_key(world: World, file):
    plain = key(file)["authorization"].removeprefix("Bearer ")
    server = gated(world, file)
    assert world.http.post(world.edge(server) + CHAT, json=ask()).status_code == 502
    edge = world.edge(server, api_key=SecretStr(plain))
    assert world.http.post(edge + CHAT, json=ask()).status_code == 200
    assert world.http.get(edge + "/readyz").status_code == 200


def test_an_edge_can_ask_for_a_key_too(world: World, file):
    headers = key(file)
    edge = world.edge(world.serve(), gate=Gate(KeyFile(file)))
    assert world.http.post(edge + CHAT, json=ask()).status_code == 401
    assert world.http.post(edge + CHAT, json=ask(), headers=headers).status_code == 200


ORIGIN = "https://chat.example.org"
PREFLIGHT = {"origin": ORIGIN, "access-control-request-method": "POST"}


def test_a_preflight_is_refused_by_default_and_answered_for_a_named_origin(world: World, file):
    headers = key(file)
    closed = world.serve()
    refused = world.http.options(closed + CHAT, headers=PREFLIGHT)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "cors_refused")
    url = world.serve(gate=Gate(KeyFile(file)), cors_origins=[ORIGIN])
    asked = {**PREFLIGHT, "access-control-request-headers": "authorization,content-type"}
    allowed = world.http.options(url + CHAT, headers=asked)
    assert allowed.status_code == 200
    assert allowed.headers["access-control-allow-origin"] == ORIGIN
    assert "authorization" in allowed.headers["access-control-allow-headers"]
    answered = world.http.post(url + CHAT, json=ask(), headers={**headers, "origin": ORIGIN})
    assert answered.headers["access-control-allow-origin"] == ORIGIN
    assert "access-control-allow-credentials" not in answered.headers
    other = world.http.options(url + CHAT, headers={**PREFLIGHT, "origin": "https://evil.example"})
    assert "access-control-allow-origin" not in other.headers


def test_a_server_without_keys_answers_no_page_that_reaches_it_by_another_name(world: World, file):
    rebound = {"host": "evil.example:8000", "origin": "http://evil.example:8000"}
    open_to_all = world.serve(cors_origins=[ORIGIN])
    refused = world.http.post(open_to_all + CHAT, json=ask(), headers=rebound)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")
    for headers in ({"host": "behind.a.proxy"}, {"origin": ORIGIN}, {"origin": open_to_all}):
        assert world.http.post(open_to_all + CHAT, json=ask(), headers=headers).status_code == 200
    everyone = world.serve(cors_origins=["*"])
    assert world.http.post(everyone + CHAT, json=ask(), headers=rebound).status_code == 200
    keyed = world.serve(gate=Gate(KeyFile(file)))
    assert world.http.post(keyed + CHAT, json=ask(), headers=rebound).status_code == 401
    answered = world.http.post(keyed + CHAT, json=ask(), headers={**rebound, **key(file)})
    assert answered.status_code == 200


def test_an_edge_answers_a_page_whose_origin_is_named(world: World):
    edge = world.edge(world.serve(), cors_origins=[ORIGIN])
    assert world.http.options(edge + CHAT, headers=PREFLIGHT).status_code == 200
    assert world.http.post(edge + CHAT, json=ask(), headers={"origin": ORIGIN}).status_code == 200
    other = world.http.post(edge + CHAT, json=ask(), headers={"origin": "https://evil.example"})
    assert other.status_code == 403
