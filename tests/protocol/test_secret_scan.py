"""Possible secrets in a text. Every secret here is made up."""

import base64
import hashlib
import uuid

import pytest

from chat_ui.protocol.answers.secret_scan import (
    API_KEY,
    BEARER_TOKEN,
    CONNECTION_STRING,
    JSON_WEB_TOKEN,
    NAMED_SECRET,
    PASSWORD,
    PASSWORD_IN_ADDRESS,
    PRIVATE_KEY,
    SIGNATURE,
    scan,
    surroundings,
    veiled,
)
from tests.growth import assert_in_proportion
from tests.made_sets import thinned

RANDOM = "q7Zt2LmX9vKc4RbN8sWd1YhF6pGj3TaE"
BEGINNING = "-----BEGIN RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"

SECRETS = [
    (API_KEY, "Use sk-{} for it", f"sk-proj-{RANDOM}"),
    (API_KEY, "key `{}`", f"sk-ant-api03-{RANDOM}"),
    (API_KEY, "({})", f"ghp_{RANDOM}{RANDOM[:4]}"),
    (API_KEY, "aws {} id", "AKIA" + "Q7ZT2LMX9VKC4RBN"),
    (API_KEY, "{}", "AIza" + RANDOM + "abc"),
    (API_KEY, "search {}", f"{RANDOM}{RANDOM[:10]}AzSeAq7Zt2"),
    (API_KEY, "model {}", f"{RANDOM}{RANDOM[:20]}JQQJ99{RANDOM[:26]}"),
    (API_KEY, "login {}.", f"hf_{RANDOM}"),
    (API_KEY, "{}", "xoxb" + "-123456789012-q7Zt2LmX9vKc4RbN"),
    (BEARER_TOKEN, 'curl -H "Authorization: Bearer {}"', RANDOM),
    (BEARER_TOKEN, "authorization: Basic {}", "dXNlcjpodW50ZXIy"),
    (JSON_WEB_TOKEN, "the token {} was", JWT),
    (PRIVATE_KEY, "before\n{}\nafter", f"{BEGINNING}\n{RANDOM}\n{RANDOM}==\n-----END RSA PRIVATE KEY-----"),
    (CONNECTION_STRING, "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};EndpointSuffix=b", f"{RANDOM}=="),
    (CONNECTION_STRING, "Server=db;User Id=sa;Password={};", "hunter2"),
    (PASSWORD_IN_ADDRESS, "postgresql://admin:{}@db/main", "s3cr-et"),
    (SIGNATURE, "https://a.example/b?sv=1&sig={}&x=1", "q7Zt2LmX9vKc%2B4RbN8sWd1Yh%3D"),
    (SIGNATURE, "https://a.example/api?code={}", RANDOM),
    (PASSWORD, "The password is {}", "Sommer2024!"),
    (PASSWORD, "Passwort: {}", "Tr0ub4dor&3"),
    (NAMED_SECRET, 'api_key = "{}"', RANDOM),
    (NAMED_SECRET, '{{"client_secret": "{}"}}', RANDOM),
    (NAMED_SECRET, "api-key: {}", hashlib.md5(b"a", usedforsecurity=False).hexdigest()),
]

HARMLESS = [
    "The token limit is 4096, and max_tokens: 128000 is the most. Tokens are counted; a password is required.",
    "Password: required. Passwort: erforderlich. password = get_password() and token: string",
    "api_key = os.environ['API_KEY'] and api_key=settings.backend.api_key; secret: ${SECRET_FROM_VAULT_2024}",
    "Set `api_key` to `YOUR_API_KEY_GOES_HERE_123`",
    "Use sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, Bearer <token>, Bearer your-token-0123",
    "postgres://user:password@localhost/db and https://a.example:8443/path@2x.png, mailto:a@b.example",
    f"Document {uuid.UUID(int=0x1234567890ABCDEF1234567890ABCDEF)} with SHA-256 {hashlib.sha256(b'a').hexdigest()}",
    f"![](data:image/png;base64,{base64.b64encode(hashlib.shake_256(b'a').digest(60_000)).decode()})",
    "The bearer responsibilities-of-the-whole-team",
    "A secret is something: responsibilities, unbelievable-coincidences.",
    "https://a.example/search?q=q7Zt2LmX9vKc4RbN8sWd1YhF&page=4#section-12",
    "https://a.example/?code=employment-handbook-2024, sk-learn-and-other-packages-are-fine",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE----- and -----BEGIN PUBLIC KEY-----",
]


def test_a_secret_is_found_with_its_kind_and_prose_or_code_is_not() -> None:
    for kind, text, secret in SECRETS:
        complete = text.format(secret)
        found = scan(complete)
        ends = [(finding.kind, finding.end >= complete.index(secret) + len(secret)) for finding in found]
        assert ends == [(kind, True)], complete
        assert secret not in veiled(complete, found)
        assert "…" in surroundings(complete, found, 0)
        assert secret not in surroundings(complete, found, 0)
    for text in HARMLESS:
        assert [text[finding.start : finding.end] for finding in scan(text)] == []


def test_the_context_of_a_secret_hides_its_neighbours() -> None:
    text = f"A long beginning of a sentence, then sk-{RANDOM} and password: Sommer2024! and Bearer {RANDOM} end."
    found = scan(text)

    assert [finding.kind for finding in found] == [API_KEY, PASSWORD, BEARER_TOKEN]
    for index in range(len(found)):
        shown = surroundings(text, found, index)
        assert RANDOM[-8:] not in shown
        assert "Sommer" not in shown
    assert veiled(text, found) == "A long beginning of a sentence, then … and password: … and Bearer … end."


HOSTILE = [
    "eyJ" + "a" * 9 + ".", "eyJaaaaaaaa", "-----BEGIN PRIVATE KEY-----", "-----BEGIN " + "A" * 30, "a://b:" + "c",
    "://:", "sk-aaaa-", "sk-", "token: ", "password=", "bearer ", "?sig=", "SG.aaaaaaaaaaaaaaaa.", "AccountKey=",
    "; pwd = ", "A" * 7, "A" * 52 + "JQQJ99 ", "a.",
]  # fmt: skip


@pytest.mark.parametrize("piece", thinned(HOSTILE, one_in=6))
def test_the_cost_grows_linearly_with_the_text(piece: str) -> None:
    assert_in_proportion(scan, 40_000, made=lambda length: piece * (length // len(piece)))
