"""Images go in and come out the same; layers are stored once; names have one form; nothing odd is taken."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
import threading
from pathlib import Path

import pytest
import xxhash
import zstandard

from benchrouter.engine.archive import Archive, ArchiveDamaged, NotAnImageArchive
from benchrouter.engine.archive.footer import Footer
from benchrouter.store.workspace import Workspace

from .images import Small, files, pieces, take, tar_of

ONE = Small(("base", "one"), ("one:1",))
TWO = Small(("base", "two"), ("two",))


def test_what_comes_out_is_what_went_in(archive: Archive, tmp_path: Path) -> None:
    """The archive of an archive's image is taken by another one and is the same image."""
    (entry,) = take(archive, ONE.archive())
    other = Archive(Workspace(tmp_path / "other").ensure())
    (again,) = take(other, b"".join(archive.stream([(entry, ["one:1", "uno"])])))[:1]
    assert (again.image_id, again.layers, again.config) == (entry.image_id, entry.layers, ONE.config)
    assert again.platform == "linux/amd64"
    assert entry.labels == {"of": "small"}


def test_the_stream_is_a_docker_archive(archive: Archive) -> None:
    """Layers once each, names with their tags, everything where the manifest says."""
    one, two = *take(archive, ONE.archive()), *take(archive, TWO.archive())
    data = b"".join(archive.stream([(one, ["one:1", "example.org:5000/uno"]), (two, [])]))
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        held = {member.name: tar.extractfile(member).read() for member in tar}  # type: ignore[union-attr]
    manifest = json.loads(held.pop("manifest.json"))
    assert [item["RepoTags"] for item in manifest] == [["one:1", "example.org:5000/uno:latest"], None]
    assert len(held) == 2 + 3
    for item, image in zip(manifest, (ONE, TWO), strict=True):
        assert held[item["Config"]] == image.config
        assert [held[path] for path in item["Layers"]] == image.layers


def test_each_layer_is_stored_once(archive: Archive) -> None:
    take(archive, ONE.archive())
    take(archive, TWO.archive())
    assert len(list(archive.layers.all())) == 3


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("python", "docker.io/library/python:latest", True),
        ("localhost:5000/a/b", "localhost:5000/a/b:latest", True),
        ("a/b:c", "index.docker.io/a/b:c", True),
        ("a/b:c", "a_b:c", False),
        ("a.b/c", "docker.io/a.b/c", False),
        ("docker.io/a.b/c:latest", "index.docker.io/a.b/c", True),
        ("a/b:c", "a/b_c", False),
        ("a/b:c", "example.org/a/b:c", False),
        ("a@sha256:" + "0" * 64, "a:1@sha256:" + "0" * 64, True),
        ("a@sha256:" + "0" * 64, "a:1", False),
        ("sha256:" + "0" * 64, "sha256:" + "0" * 64, True),
    ],
)
def test_names_have_one_form(archive: Archive, one: str, other: str, same: bool) -> None:
    """Two spellings of one reference find one entry; two references never share one."""
    take(archive, Small(("x",), (one,)).archive())
    assert (archive.find(other) is not None) is same


def test_an_image_without_a_name_is_found_by_its_id(archive: Archive) -> None:
    (entry,) = take(archive, Small(("x",), ()).archive())
    assert entry.reference == entry.image_id
    assert archive.find(entry.image_id) == entry


def test_a_name_moves_to_the_newer_image(archive: Archive) -> None:
    take(archive, Small(("old",)).archive())
    (new,) = take(archive, Small(("new",)).archive())
    assert archive.find("small:1") == new
    assert [entry for entry, _ in archive.all()] == [new]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
@pytest.mark.parametrize("whole", [True, False])
def test_compressed_archives_and_layers_are_taken(archive: Archive, pack, whole: bool) -> None:  # type: ignore[no-untyped-def]
    """An engine with the containerd store saves layers as the registry had them."""
    members = {name: pack(data) if name.endswith("layer.tar") else data for name, data in ONE.members().items()}
    data = pack(ONE.archive()) if whole else tar_of(members)
    for piece in (7, 100_000):
        (entry,) = take(archive, data, piece=piece)
        assert [layer.diff_id for layer in entry.layers] == json.loads(ONE.config)["rootfs"]["diff_ids"]


def test_a_layer_that_is_a_link_to_another_image_s(archive: Archive) -> None:
    """An engine of 20.10 writes so when several images are saved at once."""
    members = ONE.members()
    first, second = (name for name in members if name.endswith("layer.tar"))
    manifest = json.loads(members["manifest.json"])
    manifest[0]["Layers"] = [first, "other/layer.tar"]
    members["manifest.json"] = json.dumps(manifest).encode()
    (entry,) = take(archive, tar_of(members, {"other/layer.tar": f"../{second}"}))
    assert len(entry.layers) == 2


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT])
def test_every_form_of_tar_is_read(archive: Archive, form: int) -> None:
    """Long names and links among them, also where they say what a short one would."""
    members = ONE.members()
    long = f"{'d' * 90}/{'e' * 60}/layer.tar"
    name = next(name for name in members if name.endswith("layer.tar"))
    manifest = json.loads(members["manifest.json"])
    manifest[0]["Layers"][0] = "link"
    members["manifest.json"] = json.dumps(manifest).encode()
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        for path, data in {**members, long: members.pop(name)}.items():
            info = tarfile.TarInfo(path)
            info.size, info.mtime = len(data), 1.5 if form == tarfile.PAX_FORMAT else 1
            tar.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.LNKTYPE, long
        if form != tarfile.USTAR_FORMAT:
            tar.addfile(link)
        directory = tarfile.TarInfo("directory")
        directory.type = tarfile.DIRTYPE
        tar.addfile(directory)
    if form == tarfile.USTAR_FORMAT:
        with pytest.raises(NotAnImageArchive, match="link is not in it"):
            take(archive, out.getvalue())
        return
    assert len(take(archive, out.getvalue(), piece=333)) == 1


@pytest.mark.parametrize("missing", ["manifest.json", "config.json", "layer.tar"])
def test_an_archive_that_lacks_something_is_refused(archive: Archive, missing: str) -> None:
    """Nothing of it stays."""
    members = {name: data for name, data in ONE.members().items() if not name.endswith(missing)}
    with pytest.raises(NotAnImageArchive):
        take(archive, tar_of(members))
    assert not files(archive)


@pytest.mark.parametrize("data", [b"", b"not a tar", ONE.archive()[:3000], gzip.compress(ONE.archive())[:-20]])
def test_what_is_cut_off_is_refused(archive: Archive, data: bytes) -> None:
    with pytest.raises(NotAnImageArchive):
        take(archive, data)
    assert not files(archive)


def test_a_layer_that_is_not_the_configuration_s_is_refused(archive: Archive) -> None:
    members = ONE.members()
    name = next(name for name in members if name.endswith("layer.tar"))
    with pytest.raises(NotAnImageArchive, match="layers are not those"):
        take(archive, tar_of({**members, name: tar_of({"file": b"evil"})}))
    assert not files(archive)


def test_a_path_that_looks_like_a_stored_layer_does_not_stand_for_it(archive: Archive) -> None:
    """The content is not read again, so the configuration must name that layer."""
    (entry,) = take(archive, ONE.archive())
    stored = entry.layers[0].diff_id.removeprefix("sha256:")
    members = TWO.members()
    manifest = json.loads(members["manifest.json"])
    manifest[0]["Layers"][0] = f"{stored}/layer.tar"
    manifest[0]["Layers"][1] = f"{hashlib.sha256(b'x').hexdigest()}/layer.tar"
    evil = {f"{stored}/layer.tar": tar_of({"f": b"evil"}), manifest[0]["Layers"][1]: TWO.layers[1]}
    (taken,) = take(
        archive, tar_of({**evil, "config.json": TWO.config, "manifest.json": json.dumps(manifest).encode()})
    )
    assert b"".join(archive.stream([(taken, [])])) .count(b"evil") == 0


def test_a_damaged_layer_makes_its_images_missing(archive: Archive) -> None:
    """It is reported once, dropped, and there again after the next save."""
    (one,), (two,) = take(archive, ONE.archive()), take(archive, TWO.archive())
    path = archive.layers.path(one.layers[0].diff_id)
    data = bytearray(path.read_bytes())
    data[12] ^= 1
    path.write_bytes(data)
    with pytest.raises(ArchiveDamaged, match="damaged"):
        archive.check(one)
    assert archive.find("one:1") is None
    assert archive.find("two") is None
    take(archive, ONE.archive())
    assert archive.find("two") == two


def test_a_layer_that_another_version_compressed_is_the_same(archive: Archive) -> None:
    """Other images that have it stay whole."""
    (one,) = take(archive, ONE.archive())
    path = archive.layers.path(one.layers[0].diff_id)
    packed = zstandard.ZstdCompressor(level=9, write_checksum=True).compress(ONE.layers[0])
    path.write_bytes(packed + Footer.sealing(len(ONE.layers[0]), xxhash.xxh3_128(packed)).to_bytes())
    assert path.stat().st_size != one.layers[0].stored
    assert archive.find("one:1") == one
    archive.check(one)


def test_a_layer_is_read_through_once_and_again_when_its_file_has_changed(archive: Archive) -> None:
    """Whatever its size and modification time say: a restored cache, or a careful hand, keeps those."""
    (one,) = take(archive, ONE.archive())
    archive.check(one)
    path = archive.layers.path(one.layers[1].diff_id)
    before, data = path.stat(), bytearray(path.read_bytes())
    data[12] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(ArchiveDamaged):
        archive.check(one)


@pytest.mark.parametrize("text", [b"", b"{}", b"torn", b'{"version": 1, "config": 5}', b'{"version": 99}'])
def test_a_torn_or_foreign_entry_is_missing(archive: Archive, text: bytes) -> None:
    (entry,) = take(archive, ONE.archive())
    archive.entries.path("one:1").write_bytes(text)
    assert archive.find("one:1") is None
    assert not list(archive.all())
    assert take(archive, ONE.archive()) == (entry,)


def test_many_writers_at_once(tmp_path: Path) -> None:
    """Each with an archive object of its own, as processes have; all images are whole, no file is left over."""
    ws = Workspace(tmp_path).ensure()
    images = [Small(("base", "shared", f"own {n % 3}"), (f"image:{n}",)) for n in range(12)]
    threads = [threading.Thread(target=take, args=(Archive(ws), image.archive())) for image in images]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    archive = Archive(ws)
    assert len(list(archive.all())) == 12
    assert len(list(archive.layers.all())) == 5
    assert not [name for name in files(archive) if name.startswith(".")]
    for entry, _ in archive.all():
        archive.check(entry)


def test_pieces_may_be_cut_anywhere(archive: Archive) -> None:
    for size in (1, 511, 512, 513):
        assert take(archive, b"".join(pieces(ONE.archive(), size)), piece=size)
