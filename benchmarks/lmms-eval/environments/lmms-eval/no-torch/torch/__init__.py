"""In the place of torch: the little of it that lmms-eval touches on its way to an endpoint, in one process."""

from torch import distributed, nn

__all__ = ["Tensor", "cuda", "distributed", "dtype", "manual_seed", "nn"]


class Tensor:
    """Nothing is one."""


class dtype:
    """Nothing has one."""


class cuda:
    is_available = staticmethod(lambda: False)
    empty_cache = staticmethod(lambda: None)


def manual_seed(_seed):
    """Seed nothing: there is nothing random here."""
