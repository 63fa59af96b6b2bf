"""Validates the notebook argv[1], runs it in a fresh kernel of this Python, and prints the outputs before and after as JSON."""

import copy
import json
import sys

import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
exported = copy.deepcopy(notebook)
NotebookClient(notebook, timeout=60, kernel_name="python3").execute()


def outputs(of):
    # A traceback names files of its own kernel.
    return [[{k: v for k, v in o.items() if k not in ("metadata", "traceback")} for o in c.outputs] for c in of.cells]


print(json.dumps({"exported": outputs(exported), "run": outputs(notebook)}))
