import pytest

from sage_rag.privacy.recognizers.forms.patterns import PatternRecognizer
from sage_rag.privacy.recognizers.forms.secrets import SECRETS
from sage_rag.privacy.spans import resolve_overlaps

RECOGNIZER = PatternRecognizer(SECRETS)
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAK\nq8+/w==\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJub2JvZHkifQ.c2lnbmF0dXJl"


def found(text):
    spans = resolve_overlaps(RECOGNIZER.recognize(text))
    return [(text[s.start : s.end], str(s.entity_type)) for s in spans]


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("use sk-proj-Zz9Zz9Zz9Zz9Zz9Zz9Zz now", "sk-proj-Zz9Zz9Zz9Zz9Zz9Zz9Zz", "SECRET"),
        (
            "ghp_0123456789abcdefABCDEF0123456789abcd",
            "ghp_0123456789abcdefABCDEF0123456789abcd",
            "SECRET",
        ),
        ("AKIAABCDEFGHIJKLMNOP.", "AKIAABCDEFGHIJKLMNOP", "SECRET"),
        ("xoxb-1234567890-abcdef", "xoxb-1234567890-abcdef", "SECRET"),
        (f"token {JWT}, thanks", JWT, "SECRET"),
        (f"here:\n{KEY}\nbye", KEY, "SECRET"),
        ("Password: hunter2.", "hunter2", "SECRET"),
        ('db_password = "s3cr3t word"', "s3cr3t word", "SECRET"),
        ('  dbPass: "x9!kLm",', "x9!kLm", "SECRET"),
        ("my password is Tr0ub4dor&3", "Tr0ub4dor&3", "SECRET"),
        ("IDENTIFIED BY 'q9Zz$7'", "q9Zz$7", "SECRET"),
        ("Authorization: Bearer abcdef0123456789abcdef", "abcdef0123456789abcdef", "SECRET"),
        ("postgres://ada:pa55w0rd@db.example.org/x", "pa55w0rd", "SECRET"),
        ("API_KEY=zq81", "zq81", "SECRET"),
        ("username: quist_77", "quist_77", "USERNAME"),
        ("user:\nquist", "quist", "USERNAME"),
        ("user: what_quist", "what_quist", "USERNAME"),
        ("login: there, then wait", "there", "USERNAME"),
        ("skype: ada.quist", "ada.quist", "USERNAME"),
        ('"db_user": "adaquist12"', "adaquist12", "USERNAME"),
        ("my user name is ada.quist", "ada.quist", "USERNAME"),
        ("follow @ada_quist please", "ada_quist", "USERNAME"),
        ("posted by u/ada-quist", "ada-quist", "USERNAME"),
        ("saved as /home/adaq/scan.pdf", "adaq", "USERNAME"),
        ("file:///Users/a.quist/x and so on", "a.quist", "USERNAME"),
        (r"in C:\Users\aquist\Desktop.", "aquist", "USERNAME"),
        (r'"C:\\Users\\aquist\\x"', "aquist", "USERNAME"),
        ("look in C:/Users/aquist.", "aquist", "USERNAME"),
        (r"on \\store\home\aquist", "aquist", "USERNAME"),
    ],
)
def test_what_opens_an_account_is_found(text, value, kind):
    assert (value, kind) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "I forgot my password and the login page is slow",
        "the password is required, a secret is kept, pass the salt",
        "plate and pin 11days after, pinned 3 times",
        "write to ada@example.org, 5 @ 3 euros, meet @ 10",
        "the user is happy, users are many, USER INPUT",
        "User: What helps against cramp?\nAssistant: Rest.\nuser:\n\nWhere's the pain?",
        "User: Could it be gout?\nUser: Tell me about gout.",
        "risk-taking, task-force, ask-me-anything-about-it",
        "w/u/o, a u/s scan",
        "stress at work/home/school, GET /home/ and /Users/Shared/x",
        r"C:\Users\Public\x",
    ],
)
def test_talk_about_secrets_is_none(text):
    assert found(text) == []
