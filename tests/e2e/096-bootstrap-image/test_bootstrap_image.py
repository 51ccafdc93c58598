"""Where no registry answers: a base from Debian packages, an alias for it, and Dockerfiles that stay as they are."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import pytest
from project import SCORE, Project, docker, wait_until
from servers import make_certificates

from benchrouter.engine.certificates import HOST_BUNDLE
from benchrouter.engine.reachable import registry_answers
from benchrouter.make.perf.bases import require_bases
from benchrouter.make.variables import UsageError
from benchrouter.spec.settings import Site

LOCAL = """\
# what our lab told us
site:
  build_parallel: 1  # a slow disk
"""
pytestmark = pytest.mark.skipif(
    not (shutil.which("mmdebstrap") or shutil.which("debootstrap", path="/usr/sbin:/usr/bin")),
    reason="needs mmdebstrap or debootstrap",
)


@pytest.fixture
def base() -> Iterator[str]:
    """A reference that no registry has; its stand-in is removed afterwards."""
    ref = f"canary.invalid/lab/{token_hex(4)}:1"
    yield ref
    name = f"benchrouter-bootstrap/{ref}"
    subprocess.run(["docker", "rmi", "-f", name], capture_output=True, check=False)


@dataclass(frozen=True)
class Lab:
    """A workspace with a base of its own, made once for several tests: it takes a minute."""

    project: Project
    base: str
    alias: str


@pytest.fixture(scope="module")
def lab(lasting_project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Make a base with packages and the lab's CA, on a release whose Python is Debian's own."""
    project, ref, scratch = lasting_project, f"canary.invalid/lab/{token_hex(4)}:1", tmp_path_factory.mktemp("scratch")
    bundle = make_certificates(tmp_path_factory.mktemp("lab") / "certificates")
    with bundle.open("a") as file:
        file.write(HOST_BUNDLE.read_text())  # what is not of the lab is asked for packages
    project.write("benchrouter.yaml", f"site: {{ca_bundle: '{bundle}'}}\n")
    project.write("benchrouter.local.yaml", LOCAL)
    words = ("bootstrap-image", ref, "--packages", "bc,python3-pip", "--suite", "trixie")
    done = project.doit(*words, env={"TMPDIR": str(scratch)})
    assert done.status == 0, done.text
    assert not made(scratch, set()) and not list((project.root / "cache" / "attempts").glob("*"))
    alias = next(word.rstrip(",") for word in done.out.split() if word.startswith("benchrouter-bootstrap/"))
    yield Lab(project, ref, alias)
    subprocess.run(["docker", "rmi", "-f", alias], capture_output=True, check=False)


def test_a_base_without_a_recipe_is_refused_with_what_to_name(project: Project, base: str) -> None:
    refused = project.doit("bootstrap-image", base)
    assert refused.status == 2
    assert f"no recipe for {base}" in refused.err and "--packages" in refused.err


def test_a_base_made_of_packages_serves_an_unmodified_dockerfile(lab: Lab) -> None:
    """Run a task on a base with a package and the lab's CA; see alias, label and provenance."""
    project, base, alias = lab.project, lab.base, lab.alias
    script = "sed --version >/dev/null && bc --version >/dev/null || exit 9\n"
    trusted = "grep -qF \"$(sed -n 5p \"$SSL_CERT_FILE\")\" /etc/ssl/certs/ca-certificates.crt || exit 8\n"
    project.benchmark("b", {"t": script + trusted + SCORE % 0.5}, dockerfile=f"FROM {base}\n")
    local = (project.root / "benchrouter.local.yaml").read_text()
    assert set(LOCAL.splitlines()) < set(local.splitlines()) and f'"{base}": "{alias}"' in local
    assert docker("run", "--rm", alias, "ls", "/usr/share/man", "/usr/share/doc", "/usr/share/locale").split() == [
        "/usr/share/doc:", "/usr/share/locale:", "/usr/share/man:"
    ]
    labels = json.loads(docker("image", "inspect", "--format", "{{json .Config.Labels}}", alias))
    assert labels["benchrouter.bootstrapped"] == base
    assert {name for name in labels if not name.startswith("benchrouter.bootstrap")} == set()
    project.run("bench=b")
    assert (project.root / "benchmarks/b/environments/b/Dockerfile").read_text() == f"FROM {base}\n"
    provenance = json.loads((project.artifacts("b")[0] / "provenance.json").read_text())
    assert alias in json.dumps(provenance) and '"alias"' in json.dumps(provenance)


def test_a_layer_with_a_package_had_80_megabytes_of_apt_in_it(lab: Lab) -> None:
    install = "RUN apt-get update && apt-get install -y --no-install-recommends hello && rm -rf /var/lib/apt/lists/*"
    script = f"""hello && test "$(du -sm /var/cache/apt | cut -f1)" -lt 2 || exit 9; {SCORE % 0.5}"""
    lab.project.benchmark("d", {"t": script}, dockerfile=f"FROM {lab.base}\n{install}\n")
    lab.project.run("bench=d")


def test_pip_replaces_what_debian_brought(lab: Lab) -> None:
    """Install a pinned release over the one of Debian, whose list of files pip needs to remove it."""
    pins = "typing_extensions==4.15.0 setuptools==80.9.0"
    dockerfile = f"FROM {lab.base}\nRUN pip install --no-cache-dir {pins}\n"
    lab.project.benchmark("c", {"t": SCORE % 0.5}, dockerfile=dockerfile)
    lab.project.run("bench=c", deadline=400)


def test_a_killed_bootstrap_left_its_directory(project: Project, tmp_path: Path, base: str) -> None:
    """It lies outside of the workspace; the next start knows of it, and of nobody else's."""
    project.benchmark("b", {"t": SCORE % 0.5})
    project.environment["TMPDIR"] = str(tmp_path)
    (tmp_path / "benchrouter-20200101t000000-01234567-0123456789ab").mkdir()
    foreign = set(tmp_path.iterdir())
    process = project.start("bootstrap-image", base, "--packages", "bc")
    wait_until(lambda: any(any(path.glob("*/var/lib/dpkg")) for path in made(tmp_path, foreign)))
    process.kill()
    process.communicate()
    assert made(tmp_path, foreign)
    done = project.run()
    assert "was killed; removed" in done.err and "1 temporary directories" in done.err, done.text
    assert not made(tmp_path, foreign) and foreign <= set(tmp_path.iterdir())
    assert not list((project.root / "runs").glob("*.owner"))
    mounts = Path("/proc/self/mountinfo").read_text()
    assert str(tmp_path) not in mounts


def made(place: Path, foreign: set[Path]) -> list[Path]:
    """List what is new in the place for temporary files."""
    return [path for path in place.glob("benchrouter-*") if path not in foreign]


def test_a_base_that_nobody_has_is_listed_with_what_to_do(project: Project, base: str) -> None:
    """Run without a stand-in: the message before the start says what to do."""
    project.benchmark("b", {"t": SCORE % 1}, dockerfile=f"FROM {base}\n")
    done = project.run(status=1)
    assert set(project.job_states().values()) == {"FAILED image_missing"}
    assert f"missing: {base} for b/b" in done.out
    assert "name a stand-in under site.image_aliases in benchrouter.local.yaml" in done.out


@pytest.fixture
def debian() -> str:
    """A base whose stand-in the engine has, and which neither a registry nor the engine has under its own name."""
    ref = "debian:bookworm-slim"
    own = subprocess.run(["docker", "image", "inspect", ref], capture_output=True, check=False)
    stand_in = f"benchrouter-bootstrap/{ref}"
    made = subprocess.run(["docker", "image", "inspect", stand_in], capture_output=True, check=False)
    if own.returncode == 0 or made.returncode != 0 or registry_answers(Site()):
        pytest.skip("bases come from elsewhere here")
    return ref


def test_a_clone_did_not_learn_of_stand_ins_that_were_there(project: Project, debian: str) -> None:
    """Its images were there too, so nothing was missing, no alias was noted, and the next edit had no base."""
    project.benchmark("b", {"t": SCORE % 0.5})
    project.run()
    local = project.root / "benchrouter.local.yaml"
    local.unlink()
    noted = project.doit("bootstrap-image", "--missing")
    assert noted.status == 0 and f"{debian} is benchrouter-bootstrap/{debian}, made before" in noted.out, noted.text
    assert f'"{debian}": "benchrouter-bootstrap/{debian}"' in local.read_text()
    assert project.doit("bootstrap-image", "--missing").out == ""
    project.write("benchmarks/b/environments/b/Dockerfile", f"FROM {debian}\nRUN : {token_hex(4)}\n")
    assert project.built(project.run()) == ["b/b"]


def test_perf_without_a_base_ended_in_a_traceback(tmp_path: Path, debian: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says which base, and what to do, before anything is measured."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=f"^{debian}: the engine does not have it, .*doit bootstrap-image {debian}"):
        require_bases(["containers"])
    require_bases(["uptodate", "hashing"])
