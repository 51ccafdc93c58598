from dataclasses import dataclass, field


@dataclass
class SamplerResponse:
    response_text: str
    actual_queried_message_list: list
    response_metadata: dict


@dataclass
class EvalResult:
    score: float | None
    metrics: dict | None
    htmls: list
    convos: list
    metadata: dict | None = None


@dataclass
class SingleEvalResult:
    score: float | None
    metrics: dict = field(default_factory=dict)
    html: str | None = None
    convo: list | None = None
