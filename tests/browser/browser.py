"""A headless Chromium, spoken to over the pipe of its DevTools protocol: no library, no port, no network."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_FLAGS = ("--headless", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--remote-debugging-pipe")
_KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, "End": 35, "Home": 36, "ArrowDown": 40, "ArrowUp": 38, "ArrowRight": 39}
_PATIENCE = 30.0


class Browser:
    """One page of a running browser; raises AssertionError for what the page itself raised."""

    def __init__(self, process: subprocess.Popen[bytes], requests: int, answers: int) -> None:
        self._process, self._requests, self._answers = process, requests, answers
        self._number, self._buffer, self._session = 0, b"", ""
        self.faults: list[str] = []
        self.asked: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def open(self, path: Path, *, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        """Load a file in a window of a size, in the light or the dark scheme."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.send("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.asked.clear()
        self.faults.clear()
        self.send("Page.navigate", url=path.as_uri())
        self.wait("location.protocol === 'file:' && document.readyState === 'complete'")

    def value(self, script: str) -> Any:
        """Evaluate an expression in the page."""
        done = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait(self, script: str) -> None:
        """Wait until an expression is true."""
        until = time.monotonic() + _PATIENCE
        while not self.value(script):
            assert time.monotonic() < until, f"never true: {script}"
            time.sleep(0.02)

    def press(self, key: str) -> None:
        """Press and release a key, for whatever has the focus."""
        text = {"text": "\r"} if key == "Enter" else {"text": key} if len(key) == 1 else {}
        code = _KEYS.get(key, ord(key[0]))
        for kind in ("keyDown", "keyUp"):
            more = text if kind == "keyDown" else {}
            self.send("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **more)

    def type(self, text: str) -> None:
        """Type text into what has the focus."""
        self.send("Input.insertText", text=text)

    def picture(self, path: Path) -> None:
        """Save what can be seen."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))

    def send(self, method: str, **parameters: Any) -> Any:
        """Send one command and wait for its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._requests, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self._hear(answer)

    def _hear(self, event: dict[str, Any]) -> None:
        method, facts = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.faults.append(str(facts["exceptionDetails"]))
        elif method == "Log.entryAdded" and facts["entry"]["level"] == "error":
            self.faults.append(facts["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.asked.append(facts["request"]["url"])

    def _next(self) -> Any:
        until = time.monotonic() + _PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, until - time.monotonic()))
            assert ready, "the browser does not answer"
            data = os.read(self._answers, 1 << 20)
            assert data, "the browser ended"
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """Start a browser with an empty profile; it ends with the block."""
    assert PROGRAM is not None
    (their_in, ours_out), (ours_in, their_out) = os.pipe(), os.pipe()
    as_root = ("--no-sandbox",) if os.geteuid() == 0 else ()
    words = [PROGRAM, *_FLAGS, *as_root, f"--user-data-dir={profile}", "about:blank"]
    # The protocol's pipe is on descriptors 3 and 4, wherever ours happen to be.
    moved = f"exec 8<&{their_in} 9>&{their_out} 3<&8 4>&9; exec \"$@\""
    process = subprocess.Popen(
        ["bash", "-c", moved, "bash", *words], pass_fds=(their_in, their_out), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    os.close(their_in)
    os.close(their_out)
    try:
        yield Browser(process, ours_out, ours_in)
    finally:
        os.close(ours_out)
        try:
            process.wait(10)  # it ends with its pipe
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(ours_in)
