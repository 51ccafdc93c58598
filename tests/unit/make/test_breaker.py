"""The breaker, on a clock of the test's own."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from benchrouter.make.breaker import Breaker


@dataclass
class Scene:
    """A breaker whose subject says `answer` when it is asked."""

    answer: str = "down"
    now: float = 0.0
    said: list[str] = field(default_factory=list)
    asked: int = 0
    patience: float = 100.0

    def __post_init__(self) -> None:
        self.breaker = Breaker(
            "it",
            self._probe,
            self.said.append,
            lambda: None,
            failures=3,
            patience=self.patience,
            clock=lambda: self.now,
        )

    def _probe(self) -> str:
        self.asked += 1
        return self.answer

    def fail(self, times: int) -> None:
        for _ in range(times):
            self.breaker.failed("it said 500")

    def later(self, seconds: float) -> bool:
        """Let time pass, and any probe that is due end; tell whether jobs may start then."""
        self.now += seconds
        self.breaker.allows()
        for thread in threading.enumerate():
            if thread.name == "probe it":
                thread.join()
        return self.breaker.allows()


def test_opens_after_failures_in_a_row_and_says_so_once() -> None:
    scene = Scene()
    scene.fail(2)
    scene.breaker.worked()
    scene.fail(2)
    assert scene.breaker.allows() and not scene.said
    scene.fail(4)
    assert not scene.breaker.allows()
    assert len(scene.said) == 1 and "3 failures in a row (it said 500)" in scene.said[0]


def test_goes_on_when_it_answers_again() -> None:
    scene = Scene()
    scene.fail(3)
    assert not scene.later(1) and scene.asked == 0
    assert not scene.later(2) and scene.asked == 1
    scene.answer = ""
    assert scene.later(5)
    assert scene.said[1] == "it answers again; going on" and not scene.breaker.given_up


def test_pauses_grow_up_to_a_minute_and_end_with_patience() -> None:
    scene = Scene()
    scene.fail(3)
    times = []
    while not scene.later(0.5):
        if scene.asked > len(times):
            times.append(scene.now)
    assert times == [2, 6, 14, 30, 62] and scene.now == 100
    assert scene.breaker.given_up == "it does not come back: down" and scene.breaker.given_up in scene.said[-1]


def test_one_that_answers_but_fails_every_job_opens_again_at_once_and_is_given_up() -> None:
    """A probe that is answered is no proof: only a job that succeeds closes the breaker for good."""
    scene = Scene(answer="")
    scene.fail(3)
    pauses = []
    while not scene.breaker.given_up:
        began = scene.now
        while not scene.later(0.5):
            pass
        pauses.append(scene.now - began)
        scene.fail(1)
    assert pauses == [2, 4, 8, 16, 32, 38]
    assert scene.breaker.given_up == "it does not come back: it said 500" and scene.breaker.allows()


def test_the_same_failure_was_said_every_few_seconds() -> None:
    """It lists models and fails to chat: said at first, when it says something else, and at growing intervals."""
    scene = Scene(answer="", patience=600.0)
    scene.fail(3)
    times: list[float] = []
    while not scene.breaker.given_up:
        while not scene.later(0.5):
            pass
        before = len(scene.said)
        scene.breaker.failed(f"request {scene.now}: 429" if scene.now > 500 else "429" if scene.now > 300 else "500")
        times += [scene.now] * (len(scene.said) - before)
    openings = [line for line in scene.said if "in a row" in line]
    assert len(openings) <= 10, scene.said
    assert sum("(429)" in line for line in openings) >= 1
    assert sum(line == "it answers again; going on" for line in scene.said) == len(openings)
    assert scene.said[-1].endswith("without being started") and len(set(scene.said)) > 2


def test_another_row_is_said_like_the_first() -> None:
    """Unless it follows at once: some jobs succeed because they do not ask."""
    scene = Scene()
    for pause, said in ((0, 1), (5, 1), (5, 1), (6, 2), (1, 2), (200, 3), (1, 3), (15, 4)):
        scene.now += pause
        scene.fail(3)
        assert not scene.breaker.allows()
        scene.breaker.worked()
        assert sum("3 failures in a row (it said 500)" in line for line in scene.said) == said, (pause, scene.said)


def test_job_that_succeeds_closes_it_for_good() -> None:
    scene = Scene()
    scene.fail(3)
    scene.breaker.worked()
    scene.fail(2)
    assert scene.breaker.allows()


def test_only_one_probe_at_a_time() -> None:
    gate, asked, said = threading.Event(), [], []

    def probe() -> str:
        asked.append(1)
        gate.wait(5)
        return ""

    breaker = Breaker("it", probe, said.append, lambda: None, failures=1, clock=lambda: time.monotonic() * 1e6)
    breaker.failed("x")
    assert [breaker.allows() for _ in range(5)] == [False] * 5
    gate.set()
    assert len(asked) == 1
