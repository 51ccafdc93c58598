"""What can go wrong with an engine, as types; each text tells the person at the terminal what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

WHAT_FILLS_IT = "`docker system df` shows what fills the engine's disk"
_NO_SPACE = ("no space left on device", "disk quota exceeded", "not enough free space")


class EngineError(Exception):
    """The container engine cannot be reached, or failed to do what it was asked."""


class DiskFull(EngineError):
    """The engine's or our own disk has no space left."""


class ImageMissing(EngineError):
    """An image is not in the engine and cannot be had."""


class ImageBuildFailed(Exception):
    """A Dockerfile does not build; `tail` is the end of the build's log."""

    def __init__(self, message: str, tail: str = "") -> None:
        super().__init__(message)
        self.tail = tail


class BuildCancelled(Exception):
    """A pull or a build was stopped because its run was."""


class Cancelled(Exception):
    """What a job waited for was given up because its run was stopped."""


def means_disk_full(text: str) -> bool:
    """Tell whether an engine's message says that a disk is full."""
    lowered = text.lower()
    return any(phrase in lowered for phrase in _NO_SPACE)


@contextmanager
def translated(doing: str, secrets: Iterable[str] = ()) -> Iterator[None]:
    """Turn whatever the docker library raises within into one of our errors; `doing` opens the sentence."""
    import docker.errors
    import requests.exceptions
    import urllib3.exceptions

    try:
        yield
    except docker.errors.ImageNotFound as error:
        raise ImageMissing(_text(doing, error, secrets)) from None
    except requests.exceptions.Timeout as error:
        raise EngineError(f"{doing}: the engine did not answer in time ({type(error).__name__})") from None
    except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
        if isinstance(error, docker.errors.APIError):
            raise _of_api_error(doing, error, secrets) from None
        raise EngineError(f"{doing}: lost the connection to the engine; is it still running?") from None
    except docker.errors.DockerException as error:
        raise EngineError(_text(doing, error, secrets)) from None


def _of_api_error(doing: str, error: Exception, secrets: Iterable[str]) -> EngineError:
    text = _text(doing, error, secrets)
    if means_disk_full(text):
        return DiskFull(text)
    if getattr(error, "status_code", None) == 404 and "no such image" in text.lower():
        return ImageMissing(text)
    return EngineError(text)


def _text(doing: str, error: Exception, secrets: Iterable[str]) -> str:
    said = str(getattr(error, "explanation", None) or error)
    for value in secrets:
        if value:
            said = said.replace(value, "***")
    return f"{doing}: {said.strip()}"
