"""What a benchmark does not bring: parts of a build context and images; named, with how to get them."""

from __future__ import annotations

from project import DOCKERFILE, SCORE, Project
from verdicts import document, last_failure

NOWHERE = "registry.invalid/shop-database:1.0"
MORE = f"""
environments:
  shop: {{supplied: [upstream-src]}}
obtain:
  upstream-src: git clone https://example.org/shop upstream-src
  "{NOWHERE}": docker load < shop-database.tar
  upstream-sources: a misspelt name
"""


def shop(project: Project) -> Project:
    """Write a benchmark whose tasks need a supplied path, an image from nowhere, and nothing."""
    root = project.benchmark("b", {"supplied": SCORE % 1, "image": SCORE % 1, "plain": SCORE % 0.5})
    environments = {"supplied": "shop", "image": "database", "plain": "b"}
    listed = "".join(f"  - {{name: {task}, environment: {name}}}\n" for task, name in environments.items())
    (root / "benchmark.yaml").write_text(f"name: b\ntasks:\n{listed}{MORE}")
    project.write("benchmarks/b/environments/shop/Dockerfile", f"{DOCKERFILE}COPY upstream-src /src\nRUN cat /src/a\n")
    project.write("benchmarks/b/environments/database/Dockerfile", f"FROM {NOWHERE}\n")
    return project


def test_what_is_missing_is_named_and_the_rest_runs(project: Project) -> None:
    place = shop(project).root / "benchmarks/b/environments/shop"
    supplied = f"`upstream-src` of environment b/shop is not in {place}; to get it: git clone https://example.org/shop"
    plan = project.doit("plan", "model=m")
    assert plan.status == 0, plan.text
    assert f"missing for 1 job: {supplied} upstream-src" in plan.out
    assert f"base:{NOWHERE}  to get  (built on); to get it: docker load < shop-database.tar" in plan.out
    assert "image:b/shop" not in plan.out.split("jobs:")[0]
    warning = "warning: `obtain.upstream-sources`: no image, supplied path or data volume of that name"
    assert f"{project.root}/benchmarks/b/benchmark.yaml:12: {warning} (did you mean `upstream-src`?)" in plan.out

    done = project.run(status=1)
    before, _, _ = done.out.partition("job:b/plain@m started")
    assert f"missing for 1 job: {supplied}" in before and f"missing: {NOWHERE} for b/database" in before
    reasons = {task: document(last_failure(project, "b", task) / "job.json") for task in ("supplied", "image")}
    assert reasons["supplied"]["reason"] == reasons["image"]["reason"] == "image_missing"
    assert reasons["supplied"]["detail"] == f"{supplied} upstream-src"
    told = reasons["image"]["detail"].partition("; to get it: docker load < shop-database.tar. ")[2]
    assert told == "Without a registry, name a stand-in under site.image_aliases in benchrouter.local.yaml"
    assert project.job_states()["b/plain"] == "COMPLETED"
    assert not {"b/shop", "b/database"} & set(project.built(done))


def test_a_supplied_path_is_seen_when_it_comes(project: Project) -> None:
    shop(project).run("tasks=supplied", status=1)
    source = project.root / "benchmarks/b/environments/shop/upstream-src"
    source.mkdir()
    assert "missing for 1 job" in project.doit("plan", "model=m", "tasks=supplied").out
    (source / "a").write_text("a\n")
    project.run("tasks=supplied")
    assert project.due("tasks=supplied") == []
    (source / "a").write_text("b\n")
    assert project.due("tasks=supplied") == ["b/supplied@m"]


def test_an_image_named_by_itself_says_what_it_lacks(project: Project) -> None:
    done = shop(project).doit("run", "image:b/shop")
    assert done.status == 1 and "image:b/shop FAILED image_missing: `upstream-src` of environment b/shop" in done.out


def test_the_plan_names_all_that_is_needed_while_a_supplied_path_is_missing(project: Project) -> None:
    """What a task's images are built on, what it preloads and what it is to be passed came up one after the other."""
    root = project.benchmark("b", {"t": SCORE % 1})
    (root / "benchmark.yaml").write_text(
        "name: b\ntasks: [{name: t, environment: shop}]\nenvironments: {shop: {supplied: [src]}}\n"
        f"obtain: {{src: fetch it, '{NOWHERE}': docker load, 'registry.invalid/cases:*': docker pull}}\n"
    )
    project.write("benchmarks/b/environments/shop/Dockerfile", f"FROM {NOWHERE}\nCOPY src /src\n")
    more = "docker: true\ndocker_images: ['registry.invalid/cases:7']\npass_env: [SHOP_KEY_OF_NOBODY]\n"
    project.write("benchmarks/b/t/task.yaml", f"name: t\ncommand: x\n{more}")
    plan = project.doit("plan", "model=m")
    assert plan.status == 0 and not plan.err, plan.text
    for line in (
        f"  base:{NOWHERE}  to get  (built on); to get it: docker load",
        "  base:registry.invalid/cases:7  to get  (named by tasks); to get it: docker pull",
        "to do before a run: SHOP_KEY_OF_NOBODY (pass_env) is not set; the jobs do not get it",
    ):
        assert line in plan.out.splitlines(), plan.out
    assert "; to get it: fetch it" in plan.out and "warning" not in plan.out
