import importlib
import importlib.util
import inspect
import pkgutil
import unittest

import holdfast
import holdfast._async

INSIDE = {"driver", "socket", "transport"}
# The adapters, with the framework that each needs.
ADAPTERS = {"langchain": "langchain_core", "deepagents": "deepagents", "openai_agents.sandbox": "agents", "openai_agents.tools": "agents"}


class Documentation(unittest.TestCase):
    def test_everything_public_has_a_docstring(self):
        names = [one.name for one in pkgutil.iter_modules(holdfast._async.__path__) if one.name not in INSIDE]
        modules = [importlib.import_module(f"holdfast._async.{name}") for name in names]
        modules += [importlib.import_module(f"holdfast.{name}") for name, needs in ADAPTERS.items() if importlib.util.find_spec(needs)]
        found, without = 0, []
        for module in [*modules, importlib.import_module("holdfast.errors"), importlib.import_module("holdfast.codebox")]:
            for thing in vars(module).values():
                # The functions of the clients' own modules are for the handles.
                is_inside = inspect.isfunction(thing) and "._async." in module.__name__
                if not (inspect.isclass(thing) or inspect.isfunction(thing)) or is_inside:
                    continue
                if thing.__module__ != module.__name__ or thing.__name__.startswith("_"):
                    continue
                members = {thing.__qualname__: thing}
                if inspect.isclass(thing):
                    members.update({f"{thing.__qualname__}.{name}": one for name, one in vars(thing).items() if not name.startswith("_")})
                for name, member in members.items():
                    one = member.fget if isinstance(member, property) else member
                    if not (inspect.isclass(one) or inspect.isfunction(one)):
                        continue
                    found += 1
                    if not one.__doc__:
                        without.append(name)
        self.assertGreater(found, 150)
        self.assertEqual(without, [])
