"""benchrouter.yaml and benchrouter.local.yaml: merging, secrets, faults of both files at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchrouter.spec.problems import SpecError
from benchrouter.spec.settings import Credentials, Settings, load_settings


def write(tmp_path: Path, main: str = "", local: str = "") -> Path:
    (tmp_path / "benchrouter.yaml").write_text(main)
    (tmp_path / "benchrouter.local.yaml").write_text(local)
    return tmp_path


def faults(tmp_path: Path, main: str, local: str = "") -> list[str]:
    with pytest.raises(SpecError) as caught:
        load_settings(write(tmp_path, main, local), {})
    return [str(p).removeprefix(f"{tmp_path}/") for p in caught.value.problems]


def test_no_file_is_all_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path) == (Settings(), ())
    assert load_settings(write(tmp_path)) == (Settings(), ())


def test_everything(tmp_path: Path) -> None:
    settings, warnings = load_settings(
        write(
            tmp_path,
            "groups: {default: [hello, humaneval/a], one: hello}\n"
            "models:\n  m:\n    endpoint: http://h:1/v1\n    id: x/y\n    api_key_env: KEY\n    revision: 1.10\n"
            "    parameters: {temperature: 0.5, stop: [a]}\n    max_concurrency: 2\n  bare:\n"
            "pass_env: [HF_TOKEN]\n"
            "site:\n  engine: unix:///x\n  registry_mirrors: https://mirror\n  ca_bundle: certs/ca.pem\n"
            "  registry_credentials: {ghcr.io: {username_env: U, password_env: P}}\n"
            "  proxies: {http: 'http://u:${PW}@p:1', no_proxy: [a, b]}\n  build_timeout: 10m\n"
            "  limits: {memory: 1g, keep_failed: 0}\n",
        ),
        {"PW": "secret-value"},
    )
    assert not warnings
    assert settings.groups == {"default": ("hello", "humaneval/a"), "one": ("hello",)}
    assert settings.models["m"].revision == "1.10"
    assert settings.models["bare"].endpoint is None
    assert settings.site.registry_mirrors == {"docker.io": ("https://mirror",)}
    assert settings.site.registry_credentials["ghcr.io"] == Credentials("U", "P")
    assert settings.site.ca_bundle == tmp_path / "certs/ca.pem"
    assert settings.site.proxies.http == "http://u:secret-value@p:1"
    assert settings.site.proxies.no_proxy == "a,b"
    assert settings.site.build_timeout == 600
    assert (settings.site.limits.memory, settings.site.limits.keep_failed) == (1 << 30, 0)
    assert "secret-value" not in repr(settings)


def test_the_local_file_lies_on_top(tmp_path: Path) -> None:
    settings, _ = load_settings(
        write(
            tmp_path,
            "site: {build_parallel: 3, image_aliases: {a: b, c: d}}\nmodels: {m: {endpoint: http://a/v1, id: x}}\n",
            "site: {image_aliases: {c: e}}\nmodels: {m: {id: y}}\n",
        )
    )
    assert settings.site.build_parallel == 3
    assert settings.site.image_aliases == {"a": "b", "c": "e"}
    assert (settings.models["m"].endpoint, settings.models["m"].id) == ("http://a/v1", "y")


def test_a_secret_as_a_value_is_refused(tmp_path: Path) -> None:
    assert "api_key_env" in faults(tmp_path, "models: {m: {api_key: sk-abc}}\n")[0]
    assert "api_key_env" in faults(tmp_path, "models: {m: {parameters: {api_key: sk-abc}}}\n")[0]
    found = faults(
        tmp_path, "site:\n  proxies:\n    http: http://u:hunter2@p\n  pip_index_url: https://u:hunter2@p/\n"
    )
    assert len(found) == 2
    assert all("write ${NAME}" in fault for fault in found)


def test_a_refused_secret_is_not_repeated_in_the_message(tmp_path: Path) -> None:
    for text in ("models: {m: {api_key: hunter2hunter2}}\n", "site: {proxies: {http: 'http://u:hunter2@p'}}\n",
                 "models: {m: {parameters: {api_key: hunter2hunter2}}}\n"):  # fmt: skip
        assert not any("hunter2" in fault for fault in faults(tmp_path, text))


def test_a_variable_that_is_not_set_is_a_fault_of_its_line(tmp_path: Path) -> None:
    assert faults(tmp_path, "site: {}\n", "site:\n  proxies:\n    https: http://u:${PW}@p\n") == [
        "benchrouter.local.yaml:3: `site.proxies.https`: the variable PW is not set"
    ]


def test_faults_of_both_files_come_at_once(tmp_path: Path) -> None:
    found = faults(
        tmp_path, "site: {build_parallel: 0}\nmodels: {m: {endpoint: ftp://x}}\n", "groups: {a: [a/b/c]}\n"
    )
    assert [fault.partition(": ")[0] for fault in found] == [
        "benchrouter.yaml:1", "benchrouter.yaml:2", "benchrouter.local.yaml:1",
    ]  # fmt: skip


def test_unknown_keys_warn(tmp_path: Path) -> None:
    _, warnings = load_settings(write(tmp_path, "site: {limits: {memry: 1g}}\nmodles: {}\n"))
    assert {w.line: w.message.partition("(")[2] for w in warnings} == {
        1: "did you mean `memory`?)",
        2: "did you mean `models`?)",
    }


def test_a_parameter_that_is_not_finite_is_refused(tmp_path: Path) -> None:
    assert "finite" in faults(tmp_path, "models: {m: {parameters: {temperature: .nan}}}\n")[0]


def test_names_that_are_ours_are_not_passed_from_the_caller(tmp_path: Path) -> None:
    found = faults(tmp_path, "pass_env: [HF_TOKEN, BENCHROUTER_MODEL_NAME]\n")
    assert found == [
        "benchrouter.yaml:1: `pass_env`: BENCHROUTER_MODEL_NAME is set by BenchRouter itself and cannot be passed"
    ]
    _, warnings = load_settings(write(tmp_path, "pass_env: [OPENAI_API_KEY]\n"), {})
    assert "replaces the key" in warnings[0].message
