"""Secrets are found and removed whole, whatever hides their word, in linear time."""

from __future__ import annotations

import base64

import pytest

from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.rules import MOST, check
from memlab.memdir.secrets import find_secrets, remove_secrets
from tests.unit.memdir.test_rules import NOW
from tests.work import does_not_stall


@pytest.mark.parametrize(
    "unit", ["token=1", "password:*", "eyJ-", "token is ", "p a s s ", "a@", "| pass |\n|--|\n"]
)
def test_a_long_hostile_text_is_no_trouble(unit: str) -> None:
    body = unit * (200_000 // len(unit))
    found = check(Memory("Name", "what it is", MemoryType.user, body), NOW)
    assert len([one for one in found if one.rule == "secret"]) <= MOST
    assert does_not_stall(lambda: remove_secrets(body))


def test_places_lead_back_to_the_text_that_was_given() -> None:
    for text, start in {
        "One\nThe pass\xadword of the till is Brine" + "Otter42": 8,
        "One p a s s w o r d: Brine" + "Otter42": 4,
        "\xadOne p\u200b a s s w o r d: Brine" + "Otter42": 5,
        "R E G A T T A\nThe token is k8Qm2Wx9Lk" + "4Vb8Nc": 18,
    }.items():
        assert [one.offset for one in find_secrets(text)] == [start], text


@pytest.mark.parametrize(
    "hidden",
    [
        "The pass\xadword is {}.",
        "The p a s s w o r d is {}.",
        "The \uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44 is {}.",  # in full width
        "Las contrasen\u0303as: {}",  # the accent is a character of its own
        "Las contrase\xf1as: {}",
    ],
)
def test_a_word_is_seen_as_a_reader_sees_it(hidden: str) -> None:
    text = hidden.format(MADE_UP)
    (secret,) = find_secrets(text)
    assert text[secret.start : secret.end].rstrip(".") == MADE_UP
    assert MADE_UP not in remove_secrets(text)


def test_a_value_has_one_fingerprint_however_it_is_quoted() -> None:
    first, second = find_secrets(f"Password: {MADE_UP}\nthe password is now '{MADE_UP}'")
    assert first.fingerprint == second.fingerprint
    assert MADE_UP not in repr(first)


def test_a_private_key_is_removed_to_its_last_line() -> None:
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{RANDOM}\n{RANDOM}\n-----END RSA PRIVATE KEY-----"
    assert remove_secrets(f"Before.\n{key}\nAfter.") == "Before.\n[removed]\nAfter."


# The values are put together here, so that no other scanner takes this file for a leak.
MADE_UP = "Tamarind" + "Otter57"
RANDOM = "kX9vQ2mZ7p" + "L4tB8nR1wY6cD3"
HEX = "9f8e7d6c5b4a3928" + "1706f5e4d3c2b1a0"
LOGIN = base64.b64encode(f"mika:{MADE_UP}".encode()).decode()
KEY_IN_BASE64 = base64.b64encode(f"-----BEGIN RSA PRIVATE KEY-----\n{RANDOM * 3}".encode()).decode()
SEED = "gravel lantern mistral pewter cobalt walnut harvest ribbon saddle orchid velvet timber"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (MADE_UP, "Пароль от стенда: {}"),
        (MADE_UP, "パスワードは {} です。"),
        (MADE_UP, "Het wachtwoord is {}."),
        (MADE_UP, "Kasse: Benutzer kasse2, Passwort {}"),
        (MADE_UP, "Wi-Fi in the hut: QuayGuest, {}"),
        (MADE_UP, "Guests see it as viewer / {} — enough to look."),
        (MADE_UP, "Use {} as the password."),
        (MADE_UP, "The password was set to {}."),
        (MADE_UP, "| host | pass |\n| --- | --- |\n| crane | {} |"),
        (MADE_UP, "mysql -u mika -p'{}' berths"),
        (MADE_UP, "machine x.example login mika password {}"),
        (MADE_UP, "DB_PW: ${{DB_PW:-{}}}"),
        (MADE_UP, "connect('mika', '{}')"),
        (MADE_UP, "<db.password>{}</db.password>"),
        ("a)" + MADE_UP, "SECRET_KEY = '{}'"),
        (LOGIN, "Authorization: Basic {}"),
        (RANDOM, "Authorization: token {}"),
        (RANDOM, "curl -b 'portal_session={}; lang=en' https://x.example"),
        (RANDOM, "https://x.example/blob?sv=2024-01-01&sig={}"),
        (RANDOM, "https://x.example/login/magic/{}"),
        (HEX, "The account is AC12, token {}."),
        (HEX, "The backups are encrypted, and it asks for the key. It is {}."),
        (KEY_IN_BASE64, "In case the variable gets lost: {}"),
        ("b3BlbnNzaC1rZXkt" + "djEA" + "A" * 40, "The header got lost in chat: {}"),
        (SEED, "The wallet's words in order: {}."),
        ("es56 amrv te7k ffi3 jovt cvfd", "Add it to your authenticator: {}, time-based."),
        ("38" + "7918", "Hold the logo until service mode opens, then type {}."),
        ("vmzap" + "-06upe", "The one backup code still unused is {}."),
    ],
)
def test_a_secret_is_found_and_removed_whole(value: str, text: str) -> None:
    text = text.format(value)
    assert find_secrets(text)
    assert value not in remove_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "The cache key is sha256:" + HEX * 2,
        "The deploy key is ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + RANDOM,
        "Partners get this key for checking our signatures: " + RANDOM * 2,
        "Minisign public key for downloads: RWQ" + RANDOM * 2,
        "The key difference is in commit b43a5608c54814dd8963b20bc224806af93114b2.",
        "Begin with `-----BEGIN PRIVATE KEY----- …`; readers get the idea.",
        "FEED_API_KEY= (empty) switches the feed off.",
        "/auth/password/reset?token=:token is public.",
        "docker run -p 8080:80 nginx, then ssh -p 2222 mika@box",
        "Log in with SSO, then select team-quay-2026.",
        "Type 2026 in the year field, or enter 10000 as the limit.",
        "Boats for the seed data: heron lantern maple ocean velvet walnut saddle parrot olive orbit"
        " ribbon rocket",
        "The password was changed twice last year.",
        "See CVE-2021-23980 / GHSA-vv2x-vrpj-qqpq.",
    ],
)
def test_what_only_looks_like_a_secret_is_left_alone(text: str) -> None:
    assert find_secrets(text) == ()
