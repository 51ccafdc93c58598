"""What a careless task does with its secrets; runs in the container. The first argument says which carelessness."""

# ruff: noqa: UP031, PTH103, PTH211 -- runs in whatever Python an image has
import base64
import json
import os
import re
import sys
import time
from urllib.parse import quote, quote_plus

NAMES = ("OPENAI_API_KEY", "SITE_TOKEN", "TASK_TOKEN")
SECRETS = [os.environ[name] for name in NAMES]
OUTPUT = os.environ["BENCHROUTER_OUTPUT_DIR"]


def forms(secret):
    once = json.dumps(secret)
    hexed = "".join("\\u%04x" % ord(char) for char in secret)
    html = once[1:-1].replace("<", "\\u003c").replace("&", "\\u0026").replace(">", "\\u003e")
    return [
        secret,
        once,
        json.dumps(once),
        json.dumps(secret, ensure_ascii=False),
        once.replace("/", "\\/"),  # as PHP does
        html,  # as Go does
        re.sub(r"\\u00..", lambda found: "\\u" + found[0][2:].upper(), html),
        hexed,
        repr(secret),
        repr([secret]),
        quote(secret, safe=""),
        quote(secret),
        quote_plus(secret),
        re.sub("%..", lambda found: found[0].lower(), quote(secret, safe="")),
        quote(secret, safe="!'()*~"),  # as JavaScript does
        quote(secret, safe=";,/?:@&=+$-_.!~*'()#"),
        "".join("%%%02X" % byte for byte in secret.encode()),
        quote(quote(secret, safe=""), safe=""),
        "https://user:" + quote(secret, safe="") + "@host.example/path",
        "Bearer " + secret,
    ]


def encodings(secret):
    for before in ("", ":", "user:"[:2], "user:"):
        for after in ("", "\n", " and more"):
            data = (before + secret + after).encode()
            for encoded in (base64.b64encode(data), base64.urlsafe_b64encode(data), base64.b16encode(data)):
                yield encoded.decode()
                yield quote(encoded)
                yield encoded.decode().rstrip("=")
            yield data.hex()
    in_lines = base64.encodebytes(("a file of some lines, the key among them: %s\n" % secret * 3).encode()).decode()
    yield in_lines
    yield in_lines.replace("\n", "\r\n")
    yield json.dumps(in_lines)
    yield base64.b64encode(json.dumps({"key": secret}).encode()).decode()


def say(text, stream=1):
    os.write(stream, text.encode())


def write(name, text):
    path = os.path.join(OUTPUT, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def result(**more):
    write("result.json", json.dumps({"overall": 0.5, **more}))


def prints():
    for secret in SECRETS:
        for form in forms(secret):
            say("%s\n" % form)
            say("%s\n" % form, 2)
    result()


def encodes():
    for secret in SECRETS:
        for encoded in encodings(secret):
            say("token=%s\n" % encoded)
            say("%s\n" % encoded, 2)
        for char in base64.encodebytes(("key: " + secret).encode()).decode():
            say(char)
            time.sleep(0.003)
    write("encoded.txt", "\n".join(encoded for secret in SECRETS for encoded in encodings(secret)))
    result(list=[encoded for secret in SECRETS for encoded in encodings(secret)])


def splits():
    for secret in SECRETS:
        for pause in (0.0, 0.003):
            for char in secret:
                say(char)
                time.sleep(pause)
            say("\n")
        say("x" * 65530 + secret + "y" * 70000 + secret[:9])
        time.sleep(0.3)
        say(secret[9:] + "\n")
    result()


def files():
    for number, secret in enumerate(SECRETS):
        write("plain-%d.txt" % number, "\n".join(forms(secret)))
        if not set(secret) & {"/", "\n"}:
            write("%d %s.txt" % (number, secret), "named")
        write("%s/%d/inside.txt" % (quote(secret, safe=""), number), secret * 3)
        os.symlink(secret, os.path.join(OUTPUT, "link-%d" % number))
    result(list=SECRETS, nested={"a": [{secret: secret} for secret in SECRETS]}, **{SECRETS[0]: SECRETS[0]})


def escaped():
    """Spell secrets in a result so that only parsing shows them."""
    hexed = ["".join("\\u%04X" % ord(char) for char in secret) for secret in SECRETS]
    write("result.json", '{"overall": 0.25, "error": "%s %s", "%s": "%s"}' % ("w" * 180, hexed[0], hexed[1], hexed[2]))


def quoted():
    hexed = ["".join("\\u%04X" % ord(char) for char in secret) for secret in SECRETS]
    write("result.json", '{"overall": 0, "error": {"%s": "%s"}}' % ("w" * 180, hexed[0]))


def crashes():
    raise RuntimeError("no access with %r and %s" % (SECRETS, SECRETS[0]))


def wrong_score():
    write("result.json", json.dumps({"overall": SECRETS[0], "error": SECRETS[1]}))


def wrong_key():
    write("result.json", json.dumps({SECRETS[0]: 1, SECRETS[1]: {SECRETS[2]: 1}}))


def not_json():
    write("result.json", SECRETS[0])


def endpoint():
    write("result.json", json.dumps({"overall": 0, "error": {"kind": "endpoint", "message": "401: " + SECRETS[0]}}))
    say(SECRETS[0], 2)


def sleeps():
    say("\n".join(SECRETS))
    for stream, secret in enumerate(SECRETS[:2], 1):
        say("\nand once more: " + secret[:-2], stream)
    write("partial.txt", SECRETS[0][:-1])
    time.sleep(60)


globals()[sys.argv[1]]()
