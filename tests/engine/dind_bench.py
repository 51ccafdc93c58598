"""The image in which jobs of the engine tests have a Docker daemon of their own."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from job_bench import MIB, JobBench

from benchrouter.engine.client import Engine
from benchrouter.jobs.executor import EngineExecutor
from benchrouter.spec.settings import Site, SiteLimits
from benchrouter.store.states import Outcome

GOOD = """echo '{"overall": 0.5}' > /app/results/result.json"""


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({"path": self.path}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def endpoint_on_localhost() -> Iterator[str]:
    """Serve on the host's 127.0.0.1, and answer with the path that was asked for."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


def only(things: list[Path]) -> Path:
    """Give the one there is."""
    (thing,) = things
    return thing


@dataclass
class DindBench(JobBench):
    """Runs commands as jobs with a daemon of their own."""

    made: list[str] = field(default_factory=list)

    def run(self, command: str, **options: Any) -> Outcome:
        options.setdefault("docker", True)
        return super().run(command, **options)

    def run_all(self, commands: list[str], **options: Any) -> list[Outcome]:
        """Run commands as jobs of their own, all at once."""
        with ThreadPoolExecutor(len(commands)) as pool:
            running = [
                pool.submit(self.run, command, key=f"k{number}", index=number, **options)
                for number, command in enumerate(commands)
            ]
            return [each.result() for each in running]

    def derived(self, image: str, instructions: str) -> str:
        """Build an image on top of another, without a name; the fixture removes it."""
        file = io.BytesIO(f"FROM {image}\n{instructions}\n".encode())
        said = list(self.engine.api.build(fileobj=file, rm=True, decode=True))
        self.made.append(next(str(each["aux"]["ID"]) for each in said if "aux" in each))
        return self.made[-1]

    def close(self) -> None:
        """End the run, and remove the images that were built for it."""
        self.executor.close()
        for image in self.made:
            self.engine.api.remove_image(image, force=True)

    def seeds(self) -> list[Path]:
        """List what lies where seeds do."""
        return sorted(path for path in (self.workspace.cache / "seeds").glob("*") if path.suffix != ".json")

    def again(self) -> DindBench:
        """Go on as another run in the same workspace."""
        self.executor = EngineExecutor(self.engine, self.workspace, self.site, owner="pid=1")
        return self


def bench_in(engine: Engine, root: Path, image: str) -> DindBench:
    """Make a bench whose jobs have room for a daemon."""
    limits = SiteLimits(free_disk=MIB, dind_memory=2048 * MIB, cpus=2.0)
    return DindBench(engine, root, image, Site(limits=limits))
