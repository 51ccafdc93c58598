"""One HTTP request to the demo model: validation, plain and streamed answers."""

from __future__ import annotations

from benchrouter.models.answers import Answers
from benchrouter.models.completion import chunks, complete
from benchrouter.models.local_api import ApiHandler, RequestError, read_request


class DemoHandler(ApiHandler):
    """Answer chat completions from `server.serves`; the prefix of the path is the benchmark."""

    model_name = "demo"

    def complete(self, body: bytes, prefix: str | None) -> None:
        """Serve a chat completion."""
        request = read_request(body)
        if not isinstance(request.get("n") or 1, int) or not 1 <= (request.get("n") or 1) <= 128:
            raise RequestError("`n` must be a number from 1 to 128")
        answers: Answers = self.server.serves  # type: ignore[attr-defined]
        completion = complete(request, answers, prefix)
        if request.get("stream"):
            self.stream(chunks(completion, request))
        else:
            self.send_json(200, completion)
