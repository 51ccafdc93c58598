"""Stand in for the SDKs of vendors that agentdojo imports and that nothing here calls: import this before agentdojo."""

import importlib.abc
import importlib.machinery
import sys
import types

VENDORS = ("anthropic", "cohere", "google")


class Vendors(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        ours = name.partition(".")[0] in VENDORS
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if ours else None

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__getattr__ = a_class
        return module

    def exec_module(self, module):
        pass


def a_class(name):
    if not name[0].isupper():  # a submodule, which the import system then asks us for
        raise AttributeError(name)
    return type(name, (Exception,), {})


sys.meta_path.insert(0, Vendors())
