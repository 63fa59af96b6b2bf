"""Writes `models.py` from the OpenAPI document: a dataclass for each object, a union for each choice.

Usage: python generate/models.py OPENAPI_DOCUMENT > src/holdfast/models.py
"""

import json
import keyword
import re
import sys

# The handles that have methods bear these names.
RENAMED = {"Session": "SessionRecord", "Process": "ProcessRecord"}
# Names for objects that have none in the document, by the place at which they are found first.
NAMED = {
    "SessionRecord.budget": "SessionBudget",
    "SessionRecord.budget.limits": "BudgetLimits",
    "SessionRecord.budget.used": "BudgetUsed",
    "Policy.world": "PolicyWorld",
    "Policy.llm": "PolicyModels",
    "Policy.execution": "PolicyExecution",
    "LastRecovery.contexts": "RecoveredContext",
    "LastRecovery.contexts.lost": "NameWithReason",
    "LastRecovery.contexts.stopped": "StoppedReplay",
    "LastRecovery.files": "RecoveredFiles",
    "Problem.errors": "RequestFault",
    "CreateSession.policy": "PolicyRules",
    "CreateSession.policy.world": "WorldRules",
    "CreateSession.policy.llm": "ModelRules",
    "CreateSession.policy.execution": "ExecutionRules",
    "CreateSession.budget": "Budget",
    "SessionContext.contexts": "ContextCode",
    "SessionContext.symbols": "Symbol",
    "SessionUsage.sandbox": "SandboxUsage",
    "Step.outcome:ok": "Ok",
    "Step.outcome:proposed": "Proposed",
    "Step.outcome:needs:stdin": "NeedsInput",
    "Step.outcome:needs:operation": "NeedsOperation",
    "Step.outcome:error": "Failed",
    "Step.outcome:ok.refusedChanges": "RefusedChanges",
    "Step.error": "CodeError",
    "Step.cause": "Cause",
    "Step.proposals": "StepProposal",
    "Step.operations": "StepOperation",
    "Step.job": "StepJob",
    "Step.usage": "ResourceUsage",
    "ExportedContext.steps": "ExportedStep",
    "PausedSession.notSaved": "NotSavedName",
    "ProposedChange.before": "FileVersion",
    "Job.artifacts": "JobFiles",
    "ProposalWithChanges.changes": "ProposalChange",
    "Completions.matches": "Completion",
    "AuditStatistics.items": "OperationStatistics",
    "BackgroundOutput.comm": "BackgroundComm",
    "Snapshot.saved": "SavedName",
    "Snapshot.files": "SnapshotFiles",
}
# Requests that have methods with arguments of their own, and documents that are passed on as they are.
LEFT_OUT = {
    "RunSessionJob", "Interrupt", "Stdin", "Usage", "CreateShare",
    "OperationResult", "ProcessInput", "SignalProcess", "CreateFileLink", "MoveFile", "MakeDirectory", "OpenPort", "DecideProposal",
    "CreateContext", "Recover", "Pause", "CreateSnapshot", "Restore", "Fork", "NameSnapshot", "CodeAtCursor", "ParseCode", "SendComm",
    "CreateApiKey",
}  # fmt: skip
# Requests as the keyword arguments of methods, without what these name themselves.
OPTIONS = {
    "CreateSession": ("CreateOptions", set()),
    "UpdateSession": ("UpdateOptions", set()),
    "RunStep": ("RunOptions", {"code", "wait"}),
    "RunJob": ("JobOptions", {"code", "language", "wait", "sessionId"}),
    "StartProcess": ("ProcessOptions", {"command"}),
}
PREFIXES = {"StepEvent": "", "ProcessEvent": "Process", "FileEvent": "File"}
DISPLAYED = {"Result": "ShownResult", "Step": "ShownStep"}
# Their values would open something to anyone who reads a log.
SECRET = {"key", "token", "secret", "url"}

HEADER = '''"""The answers of the service, and the arguments of requests. Generated from its OpenAPI document by `generate/models.py`: do not edit."""

from dataclasses import dataclass, field
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from ._decode import NOT_GIVEN
from ._display import ShownResult, ShownStep


@dataclass(frozen=True)
class UnknownEvent:
    """An event of a kind that only a newer server has."""

    type: Literal["unknown"]
    """A constant, so that the types of all other events tell them apart. The kind itself is in `raw["type"]`."""
    seq: Optional[int]
    raw: Dict[str, Any]


'''


class Writer:
    def __init__(self, document):
        self.schemas = document["components"]["schemas"]
        self.classes = {}  # name → lines
        self.by_shape = {}
        self.aliases = []

    def write(self):
        for name, schema in self.schemas.items():
            if schema.get("type") == "object" and name not in {*LEFT_OUT, *OPTIONS}:
                self.by_shape.setdefault(self.shape(schema), RENAMED.get(name, name))
        for name, schema in self.schemas.items():
            if name in PREFIXES:
                self.events(name, schema)
            elif name == "SessionEvent":
                entry = next(one for one in schema["anyOf"] if "properties" in one)
                self.object("SessionEntryEvent", entry, name)
                self.aliases.append("SessionEvent = Union[StepEvent, SessionEntryEvent]")
            elif name in OPTIONS:
                self.options(*OPTIONS[name], schema, name)
            elif name in LEFT_OUT:
                continue
            elif schema.get("type") == "object":
                self.object(RENAMED.get(name, name), schema, RENAMED.get(name, name))
        self.aliases.append(f"ProblemCode = {self.literal(self.schemas['Problem']['properties']['code']['enum'])}")
        names = sorted([*self.classes, *PREFIXES, "ProblemCode", "SessionEvent", "UnknownEvent"])
        body = "\n\n".join("\n".join(lines) for lines in self.classes.values())
        listed = "__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]\n"
        return HEADER + listed + "\n\n" + body + "\n\n" + "\n".join(self.aliases) + "\n"

    def options(self, name, taken, schema, place):
        self.classes[name] = []
        lines = [f"class {name}(TypedDict, total=False):"]
        for wire, value in schema["properties"].items():
            if wire in taken:
                continue
            hint = self.type(value, f"{place}.{wire}")
            # Except in a change, `None` is an option that was not given.
            optional = None if name == "UpdateOptions" else re.fullmatch(r"Optional\[(.*)\]", hint)
            lines.append(f"    {snake(wire)}: {optional.group(1) if optional else hint}")
            if value.get("description"):
                lines.append(f'    """{one_line(value["description"])}"""')
        self.classes[name] = [*lines, ""]

    def events(self, name, schema):
        members = []
        for one in schema["oneOf"]:
            kinds = one["properties"]["type"]["enum"]
            stem = "Changed" if len(kinds) > 1 else "".join(part.title() for part in kinds[0].split("_"))
            members.append(self.object(f"{PREFIXES[name]}{stem}Event", one, f"{name}:{kinds[0]}", cursor=name == "StepEvent"))
        self.aliases.append(f"{name} = Union[{', '.join(members)}, UnknownEvent]")

    def object(self, name, schema, place, cursor=False):
        self.classes[name] = []  # keeps the order of first use
        required = set(schema.get("required", []))
        bases = f"({DISPLAYED[name]})" if name in DISPLAYED else ""
        lines = ["@dataclass(frozen=True)", f"class {name}{bases}:"]
        if schema.get("description"):
            lines += [f'    """{one_line(schema["description"])}"""', ""]
        properties = sorted(schema["properties"].items(), key=lambda item: item[0] not in required)
        for wire, value in properties:
            python = snake(wire)
            hint = self.type(value, f"{place}.{wire}")
            options = {}
            if wire not in required:
                # `None` is a value of its own, such as no limit, and not the same as a field that is left out.
                clears = hint.startswith("Optional[")
                hint = hint if clears or hint == "Any" else f"Optional[{hint}]"
                options["default"] = "NOT_GIVEN" if clears else "None"
            if camel(python) != wire:
                options["metadata"] = f'{{"wire": "{wire}"}}'
            if wire in SECRET:
                options["repr"] = "False"
            listed = ", ".join(f"{name}={value}" for name, value in options.items())
            default = f" = {options['default']}" if list(options) == ["default"] else f" = field({listed})" if options else ""
            lines.append(f"    {python}: {hint}{default}")
            if value.get("description"):
                lines.append(f'    """{one_line(value["description"])}"""')
        if cursor:
            lines += ["    cursor: Optional[str] = None", '    """In the stream of a session: the place behind this event."""']
        self.classes[name] = [*lines, ""]
        return name

    def type(self, schema, place):
        if "$ref" in schema:
            name = schema["$ref"].split("/")[-1]
            target = self.schemas[name]
            if name in PREFIXES or target.get("type") == "object":
                return self.forward(RENAMED.get(name, name))
            return self.type(target, name)
        if set(schema.get("properties", ())) == {"base64"}:
            return "bytes"
        if "nbformat" in schema.get("properties", ()):
            return "Dict[str, Any]"
        if "anyOf" in schema or "oneOf" in schema:
            return self.choice(schema.get("anyOf") or schema["oneOf"], place)
        if "const" in schema:
            return self.literal([schema["const"]])
        kinds = schema.get("type")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        optional = "null" in kinds
        kinds = [kind for kind in kinds if kind != "null"]
        if len(kinds) != 1 or kinds == [None]:
            return "Any"
        if "enum" in schema:
            hint = self.literal([one for one in schema["enum"] if one is not None])
            optional = optional or None in schema["enum"]
        elif kinds[0] == "object" and "properties" in schema:
            hint = self.anonymous(schema, place)
        elif kinds[0] == "object":
            values = schema.get("additionalProperties")
            hint = f"Dict[str, {self.type(values, place) if isinstance(values, dict) else 'Any'}]"
        elif kinds[0] == "array":
            hint = f"List[{self.type(schema['items'], place) if schema.get('items') else 'Any'}]"
        else:
            hint = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}[kinds[0]]
        return f"Optional[{hint}]" if optional else hint

    def choice(self, options, place):
        flat = []
        for option in options:
            flat += option.get("anyOf") or option.get("oneOf") or [option]
        hints = []
        for option in flat:
            tags = [option["properties"][tag]["enum"][0] for tag in ("tag", "what") if tag in option.get("properties", {})]
            if option.get("type") == "null":
                hints.append("None")
            else:
                hints.append(self.type(option, ":".join([place, *tags])))
        unique = list(dict.fromkeys(hint for hint in hints if hint != "None"))
        union = unique[0] if len(unique) == 1 else f"Union[{', '.join(unique)}]"
        return f"Optional[{union}]" if "None" in hints else union

    def anonymous(self, schema, place):
        """One class for each shape, however often it is found."""
        shape = self.shape(schema)
        if shape not in self.by_shape or place in NAMED:
            name = NAMED.get(place) or self.by_shape.get(shape) or "".join(part[:1].upper() + part[1:] for part in re.split(r"[.:_-]", place))
            self.by_shape.setdefault(shape, name)
            if name not in self.classes:
                self.object(name, schema, place)
            return self.forward(name)
        return self.forward(self.by_shape[shape])

    def shape(self, schema):
        return json.dumps([sorted(schema["properties"]), sorted(schema.get("required", []))])

    def forward(self, name):
        return f'"{name}"'

    def literal(self, values):
        return f"Literal[{', '.join(json.dumps(value) for value in values)}]"


def snake(wire):
    name = re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "_" + match.group(1).lower(), wire)
    return name + "_" if keyword.iskeyword(name) else name


def camel(name):
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def one_line(text):
    return " ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''") + (" " if text.endswith('"') else "")


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as document:
        sys.stdout.write(Writer(json.load(document)).write())
