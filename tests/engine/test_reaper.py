"""A sweep removes all that a dead run left, and nothing else."""

from __future__ import annotations

import io
import re
import tarfile
import time
from pathlib import Path
from secrets import token_hex
from typing import Any

from engine_bench import Bench

from benchrouter.engine.client import Engine
from benchrouter.engine.container_config import create_config
from benchrouter.engine.images import image_id
from benchrouter.engine.labels import bootstrap_labels, object_labels
from benchrouter.engine.reaper import sweep


def _container(bench: Bench, labels: dict[str, str]) -> str:
    api: Any = bench.engine.api
    config = create_config(bench.spec("sleep 1000", labels=labels))
    made = str(api.create_container_from_config(config, f"benchrouter-test-{token_hex(6)}")["Id"])
    api.start(made)
    return made


def test_all_that_a_dead_run_left_goes_and_strangers_stay(on_engine: Bench) -> None:
    api: Any = on_engine.engine.api
    ours = object_labels(on_engine.workspace, on_engine.run)
    living = object_labels(on_engine.workspace, f"{on_engine.run}-living")
    elsewhere = object_labels(f"{on_engine.workspace}-2", on_engine.run)
    strangers = [_container(on_engine, labels) for labels in (living, elsewhere, {"mine": "yes"})]
    name = f"benchrouter-test-{token_hex(6)}"
    _container(on_engine, ours)
    api.create_volume(name, labels=ours)
    try:
        swept = sweep(on_engine.engine, on_engine.workspace, on_engine.run)
        assert (swept.containers, swept.volumes, swept.left) == (1, 1, ())
        assert not sweep(on_engine.engine, on_engine.workspace, on_engine.run)
        running = {each["Id"] for each in api.containers()}
        assert set(strangers) <= running
    finally:
        for container in strangers:
            api.remove_container(container, force=True)


def test_a_container_started_by_hand_from_our_image_is_not_ours(on_engine: Bench, tmp_path: Path) -> None:
    made = on_engine.build(on_engine.request("FROM base\nRUN true\n", tmp_path / "c"))
    api: Any = on_engine.engine.api
    config = create_config(on_engine.spec("sleep 1000", image=made.tag, labels={}))
    by_hand = str(api.create_container_from_config(config, f"benchrouter-test-{token_hex(6)}")["Id"])
    try:
        assert sweep(on_engine.engine, on_engine.workspace, on_engine.run).containers == 0
        assert api.inspect_container(by_hand)
    finally:
        api.remove_container(by_hand, force=True)


def test_a_stand_in_that_was_being_made_was_left_and_what_is_built_on_it_is_not_ours(on_engine: Bench) -> None:
    """An import without a name goes; one with a name stays, and so does somebody's image that inherits its labels."""
    api: Any = on_engine.engine.api
    labels = bootstrap_labels(object_labels(on_engine.workspace, on_engine.run, owner="pid=1"))
    bare, base, named = (_imported(api, labels, word) for word in ("bare", "base", "named"))
    built = [*api.build(fileobj=io.BytesIO(f"FROM {base}\nENV A=1\n".encode()), rm=True, decode=True)]
    derived = next(str(each["aux"]["ID"]) for each in built if "aux" in each)
    name = f"benchrouter-test/{token_hex(6)}"
    api.tag(named, name, "1")
    try:
        swept = sweep(on_engine.engine, on_engine.workspace, on_engine.run)
        assert (swept.images, swept.left) == (1, ())
        assert image_id(on_engine.engine, bare) is None
        assert image_id(on_engine.engine, derived) and image_id(on_engine.engine, f"{name}:1") == named
    finally:
        for image in (derived, f"{name}:1"):
            api.remove_image(image)


def _imported(api: Any, labels: dict[str, str], word: str) -> str:
    """Import a root directory with one file, as a stand-in is imported."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        tar.addfile(tarfile.TarInfo(word))
    changes = [f'LABEL {name}="{text}"' for name, text in labels.items()]
    said = str(api.import_image_from_data(data.getvalue(), changes=changes))
    return re.search(r"sha256:[0-9a-f]{64}", said)[0]  # type: ignore[index]


def test_without_both_ids_nothing_is_touched(on_engine: Bench) -> None:
    assert not sweep(on_engine.engine, on_engine.workspace, "")
    assert not sweep(on_engine.engine, "", on_engine.run)


def test_a_stuck_engine_does_not_hang_the_sweep(on_engine: Bench, tmp_path: Path) -> None:
    import socket

    path = tmp_path / "stuck.sock"
    with socket.socket(socket.AF_UNIX) as stuck:
        stuck.bind(str(path))
        stuck.listen(64)
        from benchrouter.engine.address import Address

        mute = Engine(on_engine.engine.api, on_engine.engine.slow, Address(f"unix://{path}", "test"))
        began = time.monotonic()
        swept = sweep(mute, on_engine.workspace, on_engine.run, deadline=3.0)
        assert time.monotonic() - began < 10
        assert swept.left
