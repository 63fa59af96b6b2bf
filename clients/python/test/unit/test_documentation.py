import importlib
import inspect
import pkgutil
import unittest

import holdfast
import holdfast._async

INSIDE = {"driver", "socket", "transport"}


class Documentation(unittest.TestCase):
    def test_every_public_class_and_method_has_a_docstring(self):
        names = [one.name for one in pkgutil.iter_modules(holdfast._async.__path__) if one.name not in INSIDE]
        modules = [importlib.import_module(f"holdfast._async.{name}") for name in names]
        found, without = 0, []
        for module in [*modules, importlib.import_module("holdfast.errors"), importlib.import_module("holdfast.codebox")]:
            for cls in vars(module).values():
                if not inspect.isclass(cls) or cls.__module__ != module.__name__ or cls.__name__.startswith("_"):
                    continue
                members = {cls.__qualname__: cls}
                members.update({f"{cls.__qualname__}.{name}": one for name, one in vars(cls).items() if not name.startswith("_")})
                for name, member in members.items():
                    one = member.fget if isinstance(member, property) else member
                    if not (inspect.isclass(one) or inspect.isfunction(one)):
                        continue
                    found += 1
                    if not one.__doc__:
                        without.append(name)
        self.assertGreater(found, 150)
        self.assertEqual(without, [])
