"""Holding a seed: a container that shows it read-only as a loop device, for as long as the run lives."""

from __future__ import annotations

import threading
from pathlib import Path

from benchrouter.engine import deadlines
from benchrouter.engine.container_spec import Device, Mount, Privileges
from benchrouter.engine.containers import run_container
from benchrouter.engine.dind.control import SEED_DEVICE
from benchrouter.engine.dind.making import LOOP_DEVICES, SEEDS, Workshop
from benchrouter.engine.errors import EngineError

_RIGHTS = Privileges(capabilities=("SYS_ADMIN", "MKNOD", "DAC_OVERRIDE"), device_rules=LOOP_DEVICES)
_FOREVER = 1e9


class Holder:
    """Keeps a seed attached; when its container ends, however that happens, the device goes with the last job."""

    def __init__(self, shop: Workshop, seed: Path) -> None:
        self._spec = shop.spec("hold", seed, (Mount(str(seed.parent), SEEDS),), _RIGHTS)
        self._engine = shop.engine
        self._said = bytearray()
        self._told = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="seed", daemon=True)

    def start(self) -> Device:
        """Give the device as a job sees it; raises EngineError when there is none."""
        self._thread.start()
        in_time = self._told.wait(deadlines.CALL)
        device, _, rest = self._said.decode(errors="replace").partition("\n")
        if not in_time or not device.startswith("/dev/loop"):
            self.close()
            words = f"{device} {rest}".strip() or "no answer"
            raise EngineError(f"attaching a seed of the images: {words[:300]}")
        return Device(device, SEED_DEVICE, "r")

    def close(self) -> None:
        """End the container."""
        self._stop.set()
        self._thread.join(deadlines.CALL)

    def _run(self) -> None:
        try:
            run_container(
                self._engine, self._spec, timeout=_FOREVER, on_output=self._hear, cancelled=self._stop
            )
        except EngineError as error:
            self._said[:0] = f"{error}\n".encode()
        finally:
            self._told.set()

    def _hear(self, stream: str, data: bytes) -> None:
        if len(self._said) < 4000:
            self._said += data
        if b"\n" in self._said:
            self._told.set()
