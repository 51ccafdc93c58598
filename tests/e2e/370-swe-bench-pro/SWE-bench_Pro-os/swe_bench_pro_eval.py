"""The real harness's command, result tree and oddities, on the docker client instead of its SDK and pandas.

It ends with 0 whatever happens, pulls although the image is there, waits for a suite for ever, and marks whatever goes
wrong False, as if its tests had failed.
"""

import argparse
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from helper_code.image_uri import get_dockerhub_image_uri


def script(directory, uid, name):
    path = os.path.join(directory, uid, name)
    if not os.path.exists(path):
        raise FileNotFoundError(f"Script not found: {path}")
    with open(path) as file:
        return file.read()


def status_of(*words):
    return subprocess.run(words, capture_output=True, check=False).returncode


def entryscript(sample):
    uid, lines = sample["instance_id"], []
    for kind in ("base_dockerfile", "instance_dockerfile"):
        with open(f"dockerfiles/{kind}/{uid}/Dockerfile") as file:
            lines += [line.strip().replace("ENV", "export", 1) for line in file if line.strip().startswith("ENV")]
    tests = ",".join(eval(sample["selected_test_files_to_run"]))
    return "\n".join([
        *lines,
        "cd /app",
        f"git reset --hard {sample['base_commit']}",
        f"git checkout {sample['base_commit']}",
        "git apply -v /workspace/patch.diff",
        sample["before_repo_set_cmd"].strip().split("\n")[-1],
        f"bash /workspace/run_script.sh {tests} > /workspace/stdout.log 2> /workspace/stderr.log",
        "python /workspace/parser.py /workspace/stdout.log /workspace/stderr.log /workspace/output.json",
    ])


def evaluate(patch, sample, args, prefix):
    uid = sample["instance_id"]
    workspace = os.path.join(args.output_dir, uid, "workspace")
    Path(workspace).mkdir(parents=True, exist_ok=True)
    print(f"Running local-docker evaluation for {uid}")
    try:
        files = {name: script(args.scripts_dir, uid, name) for name in ("run_script.sh", "parser.py")}
        files.update({"patch.diff": patch, "entryscript.sh": entryscript(sample)})
        for name, text in files.items():
            with open(os.path.join(workspace, name), "w") as file:
                file.write(text)
        image = get_dockerhub_image_uri(uid, args.dockerhub_username, sample.get("repo", ""))
        print(f"Using Docker Hub image: {image}")
        if status_of("docker", "pull", "-q", image):
            if status_of("docker", "image", "inspect", image):
                print(f"Failed to pull or find image locally for {uid}")
                return None
            print(f"Using locally available image: {image}")
        network = ["--network", "none"] if args.block_network else []
        mount = ["--volume", f"{Path(workspace).resolve()}:/workspace", "--entrypoint", "/bin/bash"]
        status = status_of("docker", "run", "--rm", *network, *mount, image, "-c", "bash /workspace/entryscript.sh")
        if status:
            print(f"Entryscript failed for {uid} with return code: {status}")
        if not os.path.exists(os.path.join(workspace, "output.json")):
            print(f"Warning: output.json not found for {uid}. Check {prefix}_stdout.log for details")
            return None
        with open(os.path.join(workspace, "output.json")) as file:
            output = json.load(file)
        with open(os.path.join(args.output_dir, uid, f"{prefix}_output.json"), "w") as file:
            json.dump(output, file)
        return output
    except Exception as error:
        print(f"Error in eval_with_docker for {uid}: {error!r}")
        return None


def main():
    parser = argparse.ArgumentParser()
    for name in ("raw_sample_path", "patch_path", "output_dir", "dockerhub_username", "scripts_dir"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("use_local_docker", "redo", "block_network"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--num_workers", type=int, default=50)
    args = parser.parse_args()
    if not args.use_local_docker:
        raise RuntimeError("modal is not installed. Install it or run with --use_local_docker")
    with open(args.raw_sample_path) as file:
        samples = {sample["instance_id"]: sample for sample in map(json.loads, file)}
    with open(args.patch_path) as file:
        patches = [patch for patch in json.load(file) if patch["instance_id"] in samples]
    results = {}

    def one(patch):
        sample = samples[patch["instance_id"]]
        output = evaluate(patch.get("model_patch", patch.get("patch", "")), sample, args, patch.get("prefix", ""))
        if output is None:
            print(f"Evaluation for {patch['instance_id']} returned None")
            results[patch["instance_id"]] = False
            return
        passed = {test["name"] for test in output["tests"] if test["status"] == "PASSED"}
        wanted = set(eval(sample["fail_to_pass"])) | set(eval(sample["pass_to_pass"]))
        results[patch["instance_id"]] = wanted <= passed

    with ThreadPoolExecutor(args.num_workers) as pool:
        list(pool.map(one, patches))
    with open(os.path.join(args.output_dir, "eval_results.json"), "w") as file:
        json.dump(results, file)
    print("Overall accuracy: ", sum(results.values()) / len(results))


if __name__ == "__main__":
    main()
