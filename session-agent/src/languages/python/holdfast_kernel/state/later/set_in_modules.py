"""Says which attributes of modules and of libraries' classes a statement may have set: `json.answer = 42`."""

from ..beside.set_attributes import is_listed, path_of_module, set_in
from .function_trees import tree_of
from .names_in import names_in
from .reach import reach_of


def set_in_modules(statement, main):
    """Paths that begin with the name of a module. Functions that the statement reaches count as called."""
    codes = [code for name in names_in(statement)[1] if name in main for code in reach_of(main[name], main).codes]
    trees = [statement, *filter(None, map(tree_of, codes))]
    found = {path_of_module(path, sets_part, main) for path, sets_part in set_in(trees)}
    return {path for path in found if path is not None and is_listed(path)}
