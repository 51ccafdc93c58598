"""task.yaml: what old directories hold, what is new, and what each fault says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchrouter.spec.problems import SpecError
from benchrouter.spec.task import Resources, Task, load_task


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "task.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def load(tmp_path: Path, extra: str = "", head: str = "name: T\ncommand: sh run.sh\n") -> Task:
    task, warnings = load_task(write(tmp_path, head + extra))
    assert not warnings, warnings
    return task


def faults(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(SpecError) as caught:
        load_task(write(tmp_path, text))
    return [f"{p.line}: {p.message}" for p in caught.value.problems if not p.warning]


def test_defaults(tmp_path: Path) -> None:
    task = load(tmp_path)
    assert task == Task("T", "sh run.sh")
    assert (task.timeout, task.result_file, task.result_key, task.network) == (
        7200,
        "result.json",
        "overall",
        "host",
    )


def test_everything(tmp_path: Path) -> None:
    task = load(
        tmp_path,
        "description: d\ntimeout: 90m\nresult_file: out/r.json\nresult_mapping: {overall: pass@1}\nseed: 7\n"
        "docker: true\ndocker_images: ['a:1']\nnetwork: none\nrepeat: 3\npass_env: [HF_TOKEN]\n"
        "resources: {memory: 4g, reserve: 1g, cpus: 0.5, gpus: 1, shm_size: 64m, pids: 10}\n",
    )
    assert task.timeout == 5400
    assert task.result_key == "pass@1"
    assert task.resources == Resources(4 << 30, 1 << 30, 0.5, 1, 64 << 20, 10)
    assert (task.docker, task.docker_images, task.repeat, task.seed) == (True, ("a:1",), 3, 7)
    assert Task.from_json(json.loads(json.dumps(task.to_json()))) == task


def test_values_of_extra_env_are_what_their_author_wrote(tmp_path: Path) -> None:
    """People write numbers and booleans; `1.10` turned into `1.1` or `yes` into `True` changes the benchmark."""
    task = load(
        tmp_path,
        'extra_env:\n  A: 1.10\n  B: yes\n  C:\n  D: 0x1F\n  E: 2024-01-01\n  F: \'a"$b\'\n  G: "l1\\nl2"\n'
        "  H: 1_000\n  I: ~\n  J: é=1\n",
    )
    assert dict(task.extra_env) == {
        "A": "1.10", "B": "yes", "C": "", "D": "0x1F", "E": "2024-01-01", "F": 'a"$b', "G": "l1\nl2",
        "H": "1_000", "I": "", "J": "é=1",
    }  # fmt: skip


@pytest.mark.parametrize("command", ["true", "001", "1.10", "null_command"])
def test_a_command_is_text_whatever_yaml_makes_of_it(tmp_path: Path, command: str) -> None:
    assert load(tmp_path, "", f"name: 42\ncommand: {command}\n") == Task("42", command)


def test_ports_are_no_numbers_to_base_sixty(tmp_path: Path) -> None:
    """YAML 1.1 reads `22:22` as 1342."""
    task = load(tmp_path, "sidecars: [{name: a, image: b, ports: [22:22]}]\n")
    assert task.sidecars[0]["ports"] == ["22:22"]


def test_an_absolute_result_file_in_the_output_directory_is_accepted(tmp_path: Path) -> None:
    assert load(tmp_path, "result_file: /app/results/x/r.json\n").result_file == "x/r.json"


def test_score_fields_leave_out_what_cannot_change_a_score(tmp_path: Path) -> None:
    plain = load(tmp_path).score_fields()
    other = load(tmp_path, "description: x\ntimeout: 5\nresources: {memory: 1g}\nrepeat: 4\n")
    assert other.score_fields() == plain == {"command": "sh run.sh"}
    assert load(tmp_path, "", "name: U\ncommand: sh run.sh\n").score_fields() == plain


@pytest.mark.parametrize(
    "extra",
    ["result_file: r.json", "result_mapping: {overall: x}", "extra_env: {A: b}", "seed: 1", "docker: true",
     "network: none", "pass_env: [A]", "sidecars: [{name: a, image: b}]"],
)  # fmt: skip
def test_score_fields_hold_what_can_change_a_score(tmp_path: Path, extra: str) -> None:
    assert load(tmp_path, extra + "\n").score_fields() != load(tmp_path).score_fields()


def test_a_field_at_its_default_is_no_change(tmp_path: Path) -> None:
    """Else a BenchRouter with a new field reruns everything."""
    same = "result_file: result.json\nresult_mapping: {overall: overall}\nnetwork: host\ndocker: false\nsidecars: []\n"
    assert load(tmp_path, same).score_fields() == load(tmp_path).score_fields()


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("timeout: 0", "found 0, expected seconds"),
        ("timeout: -1", "found -1"),
        ("timeout: true", "found true"),
        ("timeout: soon", "found 'soon'"),
        ("repeat: 0", "whole number from 1 to 10000"),
        ("repeat: 1.5", "whole number"),
        ("seed: x", "whole number"),
        ("docker: 1", "expected true or false"),
        ("docker: 'yes'", "expected true or false"),
        ("network: brige", "did you mean `bridge`?"),
        ("extra_env: [A=1]", "expected a mapping"),
        ("extra_env: {A: [1]}", "`extra_env.A`: found a list"),
        ("extra_env: {'A=B': 1}", "no name of an environment variable"),
        ('extra_env: {A: "x\\0y"}', "NUL"),
        ("pass_env: [A-B]", "no name of an environment variable"),
        ("result_file: ../r.json", "inside the output directory"),
        ("result_file: /etc/passwd", "inside the output directory"),
        ("resources: {memory: 1k}", "6m or more"),
        ("resources: {memory: lots}", "expected a size"),
        ("resources: {memory: 1g, reserve: 2g}", "more than `resources.memory`"),
        ("resources: [1]", "expected a mapping"),
        ("sidecars: {a: b}", "expected a list"),
        ("sidecars: [{image: a}]", "`sidecars[0].name` is missing"),
        ("sidecars: [{name: a}]", "either `image` or `build`"),
        ("sidecars: [{name: a, image: i}, {name: a, image: i}]", "two sidecars are called `a`"),
        ("sidecars: [{name: a, image: i, healthcheck: {interval: often}}]", "expected a duration"),
        ("sidecars: [{name: a, image: i, volumes: ['./b/../../c:/c']}]", "`./b/../../c` leaves the task's directory"),
    ],
)
def test_faults_name_the_line_what_was_found_and_what_was_expected(
    tmp_path: Path, line: str, part: str
) -> None:
    (found,) = faults(tmp_path, f"name: T\ncommand: x\n{line}\n")
    assert part in found
    assert found.startswith("3: ")


def test_all_faults_of_a_file_come_at_once(tmp_path: Path) -> None:
    found = faults(tmp_path, "timeout: 0\nrepeat: 0\nresources: {cpus: 0, memory: x}\n")
    assert len(found) == 6  # two missing keys as well
    assert any("`command` is missing" in fault for fault in found)


def test_a_command_that_is_a_list_is_refused_with_what_to_write(tmp_path: Path) -> None:
    (found,) = faults(tmp_path, "name: T\ncommand: [python, x.py]\n")
    assert "/bin/sh -c" in found


def test_an_environment_in_task_yaml_is_said_to_belong_to_benchmark_yaml(tmp_path: Path) -> None:
    """It was an unknown key like any other, which does not say where it goes."""
    _, (warning,) = load_task(write(tmp_path, "name: T\ncommand: x\nenvironment: shared\n"))
    assert "stands in benchmark.yaml" in str(warning) and ":3: warning: " in str(warning)


def test_unknown_keys_warn_with_the_nearest_known_name(tmp_path: Path) -> None:
    task, warnings = load_task(
        write(tmp_path, "name: T\ncommand: x\ntiemout: 5\nresources: {memroy: 1g}\nzzz: 1\n")
    )
    assert task.timeout == 7200
    assert sorted(str(w).partition("task.yaml:")[2] for w in warnings) == [
        "3: warning: unknown key `tiemout` is ignored (did you mean `timeout`?)",
        "4: warning: unknown key `resources.memroy` is ignored (did you mean `memory`?)",
        "5: warning: unknown key `zzz` is ignored",
    ]


def test_docker_images_without_docker_warn(tmp_path: Path) -> None:
    _, warnings = load_task(write(tmp_path, "name: T\ncommand: x\ndocker_images: [a]\n"))
    assert "docker: true" in warnings[0].message


def test_keys_without_a_value_count_as_not_given(tmp_path: Path) -> None:
    assert load(tmp_path, "sidecars:\nextra_env:\nresources:\n  memory:\ntimeout:\n") == Task(
        "T", "sh run.sh"
    )


def test_sidecars_keep_the_form_of_compose(tmp_path: Path) -> None:
    task = load(
        tmp_path,
        "sidecars:\n- name: pg\n  image: postgres:16\n  environment: {PGPORT: 5432, ON: yes}\n"
        "  ports: [5432, '80:80']\n"
        "  healthcheck: {test: [CMD, pg_isready], interval: 1.5s, retries: 3, start_period: 10}\n"
        "  post_start: [createdb x]\n  shm_size: 1gb\n  cap_add: [NET_ADMIN]\n"
        "- name: web\n  build: web\n  environment: [A=b=c]\n  depends_on: [pg]\n",
    )
    pg, web = task.sidecars
    assert pg["environment"] == {"PGPORT": "5432", "ON": "yes"}
    assert pg["ports"] == ["5432", "80:80"]
    assert pg["healthcheck"]["start_period"] == "10s"
    assert pg["cap_add"] == ["NET_ADMIN"]
    assert web["environment"] == {"A": "b=c"}
    assert Task.from_json(json.loads(json.dumps(task.to_json()))) == task


def test_a_dependency_on_no_sidecar_was_found_by_compose_alone(tmp_path: Path) -> None:
    web = "- name: web\n  image: web\n"
    for depends in ("[dbb]", "{dbb: {condition: service_started}}"):
        with pytest.raises(SpecError) as error:
            load(tmp_path, f"sidecars:\n{web}  depends_on: {depends}\n- name: db\n  image: db\n")
        (problem,) = error.value.problems
        assert "no sidecar `dbb` (did you mean `db`?)" in problem.message and problem.line


def test_a_network_mode_was_called_no_key_and_then_failed_at_each_start(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as error:
        load(tmp_path, "sidecars:\n- name: db\n  image: db\n  network_mode: host\n  container_name: d\n")
    (problem,) = error.value.problems
    assert "in the network of its job" in problem.message and problem.line


def test_a_misspelt_sidecar_key_warns(tmp_path: Path) -> None:
    _, warnings = load_task(
        write(tmp_path, "name: T\ncommand: x\nsidecars: [{name: a, image: b, evironment: {}}]\n")
    )
    assert "did you mean `environment`?" in warnings[0].message


def test_a_sidecars_memory_that_compose_could_not_read_is_an_error_with_its_line(tmp_path: Path) -> None:
    deploy = "  deploy:\n    resources:\n      limits:\n        memory: plenty\n"
    found = faults(tmp_path, f"name: T\ncommand: x\nsidecars:\n- name: db\n  image: i\n  mem_limit: 1x\n{deploy}")
    expected = "expected a size such as `512m` or `16g`"
    assert [fault.partition("task.yaml:")[2] or fault for fault in found] == [
        f"6: sidecar `db`: `mem_limit`: {expected}",
        f"10: sidecar `db`: `deploy.resources.limits.memory`: {expected}",
    ]
    assert not load_task(write(tmp_path, "name: T\ncommand: x\nsidecars: [{name: a, image: b, scale: 2}]\n"))[1]


@pytest.mark.parametrize("name", ["X Y", "A=B", "", "1A", "A-B", "a.b", "ü", "A\\n"])
def test_a_name_in_extra_env_that_no_shell_passes_on_is_an_error_with_its_line(tmp_path: Path, name: str) -> None:
    """`/bin/sh` drops such variables, and `A=B` would set another one."""
    found = faults(tmp_path, f'name: T\ncommand: x\nextra_env:\n  OK: 1\n  "{name}": 2\n')
    assert len(found) == 1 and found[0].startswith("5: `extra_env`: "), found
    assert "is no name of an environment variable; use letters, digits and `_`" in found[0]


def test_all_faults_of_extra_env_come_at_once(tmp_path: Path) -> None:
    """Names, values, and what the rest of the file has, in the order of the lines."""
    text = "command: x\nextra_env:\n  X Y: 1\n  A: [1]\n  B: {}\n  C=D: [2]\ndocker_images: [a]\n" \
        "resources: {memory: 1g, reserve: 2g, cpus: no}\n"  # fmt: skip
    lines = [fault.partition(":")[0] for fault in faults(tmp_path, text)]
    assert lines == ["1", "3", "4", "5", "6", "6", "8", "8"]


def test_names_that_are_ours_warn_where_extra_env_replaces_them(tmp_path: Path) -> None:
    """Later variables win, as the contract says, but nobody replaces the endpoint or the key unawares."""
    text = "name: T\ncommand: x\nextra_env:\n  TAU2_X: 1\n  POSTGRES_PASSWORD: p\n  OPENAI_API_BASE: b\n" \
        "  BENCHROUTER_SEED: 7\n  OPENAI_API_KEY: EMPTY\n  PYTHONPATH: /app/benchmark\n"  # fmt: skip
    task, warnings = load_task(write(tmp_path, text))
    assert task.extra_env["BENCHROUTER_SEED"] == "7"
    assert [(w.line, w.message.split(":")[0]) for w in warnings] == [
        (7, "`extra_env.BENCHROUTER_SEED`"),
        (8, "`extra_env.OPENAI_API_KEY`"),
    ]
    assert all("replaces" in warning.message and warning.warning for warning in warnings)


def test_names_that_are_ours_are_not_passed_from_the_caller(tmp_path: Path) -> None:
    """Who is asked would depend on the caller's shell, and no key would tell."""
    found = faults(tmp_path, "name: T\ncommand: x\npass_env:\n- HF_TOKEN\n- BENCHROUTER_MODEL_ENDPOINT\n")
    assert found == ["5: `pass_env`: BENCHROUTER_MODEL_ENDPOINT is set by BenchRouter itself and cannot be passed"]
    _, warnings = load_task(write(tmp_path, "name: T\ncommand: x\npass_env: OPENAI_API_KEY\n"))
    assert warnings[0].line == 3 and "replaces the key" in warnings[0].message


def test_variables_of_a_sidecar_may_have_dots_but_no_blank(tmp_path: Path) -> None:
    """A service need not be a shell."""
    task = load(tmp_path, "sidecars: [{name: es, image: es, environment: {discovery.type: single-node}}]\n")
    assert task.sidecars[0]["environment"] == {"discovery.type": "single-node"}
    text = "name: T\ncommand: x\nsidecars:\n- name: a\n  image: i\n  environment:\n    A=B: 1\n    X Y: 2\n" \
        "- {name: a, environment: ['=x']}\n"  # fmt: skip
    lines = [fault.partition(":")[0] for fault in faults(tmp_path, text)]
    assert lines == ["7", "8", "9", "9", "9"]
