"""A secret that a task sends to its sidecar is nowhere: not in its log, the kept files, arguments or labels."""

from __future__ import annotations

from leaks import SEEN, Canary
from project import SCORE, Project

SECRET = "QWXZKVJPTBQWXZ-own"
LISTEN = "use IO::Socket; $|=1; $s=IO::Socket::INET->new(LocalPort=>7777,Listen=>5); while($c=$s->accept){print <$c>}"
TASK = f"""\
    pass_env: [TOKEN]
    sidecars:
      - name: db
        build: b
        command: [perl, -e, '{LISTEN}']
        healthcheck: {{test: [CMD, bash, -c, "</dev/tcp/127.0.0.1/7777"], interval: 0.3s, retries: 50}}
        environment: {{PLAIN: "a $TOKEN ${{TOKEN}} b"}}
"""


def test_it_is_nowhere(project: Project) -> None:
    """The sidecar prints what it was sent; its log is redacted as the task's own."""
    canary = Canary(SECRET)
    script = f"""bash -c 'echo "sent: $TOKEN" >/dev/tcp/db/7777'; sleep 0.5; {SCORE % 0.5}"""
    project.benchmark("b", {"t": script}, task_yaml=TASK)
    with canary.watched(project) as seen:
        done = project.run(env={"TOKEN": SECRET})
    assert set(seen) == {SEEN}
    assert not canary.found_in(done.text.encode())
    assert canary.below(project.root) == []
    (artifact,) = project.artifacts()
    assert "sent: " in (artifact / "logs" / "sidecar-db.log").read_text()
    assert "$$TOKEN" in (artifact / "config" / "compose.yaml").read_text()
