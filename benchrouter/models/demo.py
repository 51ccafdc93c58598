"""The embedded demo model: a small deterministic OpenAI-compatible endpoint on localhost."""

from __future__ import annotations

from benchrouter.models.answers import Answers
from benchrouter.models.demo_handler import DemoHandler
from benchrouter.models.local_endpoint import LocalEndpoint

__all__ = ["Answers", "DemoEndpoint"]


class DemoEndpoint(LocalEndpoint):
    """Serve answers over HTTP on 127.0.0.1, on a free port, until stopped.

    `/v1` answers from all files, `/<benchmark>/v1` from that benchmark's file alone: a job is given the
    latter, so that its score can depend only on what its key covers.
    """

    def __init__(self, answers: Answers) -> None:
        super().__init__(DemoHandler, answers)
