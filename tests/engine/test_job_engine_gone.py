"""An engine that is stopped while a job runs: a failure of the infrastructure, at once, with what there was kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from job_bench import JobBench

from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError
from benchrouter.store.states import Reason

pytestmark = [
    pytest.mark.engine,
    pytest.mark.own_engine,
    pytest.mark.skipif(os.geteuid() != 0 or shutil.which("dockerd") is None, reason="needs root and dockerd"),
]
GOOD = """echo '{"overall": 0.5}' > /app/results/result.json"""


class OwnEngine:
    """A second engine, with directories of its own, that a test may stop."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.url = f"unix://{root}/engine.sock"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        kinds = {"--data-root": "data", "--exec-root": "exec", "--pidfile": "pid"}
        places = [f"{option}={self.root / name}" for option, name in kinds.items()]
        # Without a network namespace of its own it would take the shared engine's bridge away.
        command = ["unshare", "--net", "dockerd", "--host", self.url, *places, "--bridge=none", "--iptables=false"]
        with open(self.root / "log", "ab") as log:
            self.process = subprocess.Popen(command, cwd=self.root, stdout=log, stderr=log)
        for _ in range(120):
            try:
                Engine.connect(self.url).close()
                return
            except EngineError:
                time.sleep(0.25)
        raise AssertionError((self.root / "log").read_text()[-2000:])

    def stop(self) -> None:
        """Stop it in order; it ends its containers."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(60)
            self.process = None


@pytest.fixture
def own_engine(base_image: str) -> Iterator[OwnEngine]:
    root = Path(tempfile.mkdtemp(prefix="own-engine-"))
    engine = OwnEngine(root)
    try:
        engine.start()
        load = f"docker save {base_image} | docker --host {engine.url} load"
        subprocess.run(["sh", "-c", load], check=True, capture_output=True)
        yield engine
    finally:
        engine.stop()
        for mounted in (root / "exec/netns/default", root / "data"):  # an engine leaves both behind
            subprocess.run(["umount", str(mounted)], capture_output=True, check=False)
        shutil.rmtree(root)


def stop_once_written(engine: OwnEngine, root: Path, name: str) -> None:
    """Stop the engine when a job has written a file."""
    end = time.monotonic() + 60
    while time.monotonic() < end and not any(path.stat().st_size for path in root.rglob(name)):
        time.sleep(0.05)
    engine.stop()


def test_engine_that_is_stopped_in_mid_run_is_no_fault_of_the_task(
    own_engine: OwnEngine, base_image: str, tmp_path: Path
) -> None:
    bench = JobBench(Engine.connect(own_engine.url), tmp_path, base_image)
    stopping = threading.Thread(target=stop_once_written, args=(own_engine, tmp_path, "part"))
    stopping.start()
    outcome = bench.run("echo begun; echo part > /app/results/part; sleep 120")
    assert outcome.reason is Reason.ENGINE, outcome
    assert outcome.seconds < 60
    assert (Path(outcome.path) / "output/part").read_text() == "part\n"
    assert (Path(outcome.path) / "logs/stdout.log").read_text() == "begun\n"

    gone = bench.run(GOOD)
    assert gone.reason is Reason.ENGINE and "engine" in gone.detail and gone.seconds < 10

    stopping.join()
    own_engine.start()
    assert bench.run(GOOD).completed
