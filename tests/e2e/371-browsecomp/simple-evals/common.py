import os
from multiprocessing.pool import ThreadPool

from .types import EvalResult


def map_with_progress(function, examples, num_threads=50):
    if os.getenv("debug"):  # noqa: SIM112
        return list(map(function, examples))
    with ThreadPool(min(num_threads, len(examples))) as pool:
        return list(pool.imap(function, examples))


def aggregate_results(results):
    names = results[0].metrics
    means = {name: sum(each.metrics[name] for each in results) / len(results) for name in names}
    score = sum(each.score for each in results) / len(results)
    return EvalResult(score, means, [each.html for each in results], [each.convo for each in results])
