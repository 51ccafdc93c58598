"""The real one's command, columns and encryption."""

import argparse
import base64
import csv

from eval_grader import eval_and_grade_question


def xor_decrypt(data, key):
    key = key.encode()
    return bytes(each ^ key[n % len(key)] for n, each in enumerate(data)).decode()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="deepseek-v3")
    parser.add_argument("--dataset", default="data/ScienceQA.csv")
    parser.add_argument("--n-repeats", type=int, default=5)
    args = parser.parse_args()
    with open(args.dataset, encoding="utf-8-sig") as file:
        questions = list(csv.DictReader(file))
    for question in questions:
        for name in ("prompt", "answer"):
            question[name] = xor_decrypt(base64.b64decode(question[name]), question["canary"])
    header = ["id", "prompt", "type", "answer"]
    each = ("response", "extracted-answer", "score", "score-reason", "exceed-length", "content-filter", "error")
    header += [f"{name}-{number}" for number in range(1, args.n_repeats + 1) for name in each]
    header += ["avg_score", "best_of_n", "majority_vote_answer", "majority_vote_score"]
    header += ["avg_cost (RMB)", "avg_time（s)"]
    with open(f"{args.model}_results.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for question in questions:
            writer.writerow(eval_and_grade_question(question, model=args.model, n_repeats=args.n_repeats))


if __name__ == "__main__":
    main()
