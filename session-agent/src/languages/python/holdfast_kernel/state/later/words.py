"""Words with which code can get at any name of the context, or at values that none of its names leads to."""

import ast
import builtins
import sys
import types

_everything = frozenset(
    'exec eval globals vars locals compile get_ipython __import__ setattr delattr inspect builtins '
    '__main__ __dict__ __globals__ __builtins__ __closure__ cell_contents __mro__ mro __bases__ __base__ __subclasses__ '
    '_getframe currentframe f_globals f_locals f_back f_builtins tb_frame gi_frame cr_frame ag_frame '
    'get_objects get_referrers get_referents _current_frames settrace setprofile'.split()
)
# `re.compile` is another function.
_attributes = _everything - {'compile'}
# For `getattr` and `sys.modules`. Other words mean something else as texts.
_texts = frozenset(word for word in _everything if '_' in word)
_functions = tuple(getattr(builtins, word) for word in sorted(_everything) if hasattr(builtins, word) and word[0] != '_')


def reaches_everything(tree):
    """Whether the code of a tree may get at any name."""
    harmless = {id(part) for node in ast.walk(tree) if _asks_for_main(node) for part in ast.walk(node)}
    return any(_is_for_everything(node) for node in ast.walk(tree) if id(node) not in harmless)


def is_name_for_everything(name):
    return name in _everything


def is_attribute_for_everything(name):
    return name in _attributes


def is_text_for_everything(text):
    """Whether it may lead to any name as a text: `getattr(f, '__globals__')`, `sys.modules['__main__']`."""
    return type(text) is str and text in _texts


def is_value_for_everything(value):
    """Whether a value of the context leads to any name: `from sys import modules`, `from builtins import exec as run`."""
    if type(value) is types.ModuleType:
        return type(vars(value).get('__name__')) is str and vars(value)['__name__'] == '__main__'
    return value is sys.modules or any(value is function for function in _functions)


def _is_for_everything(node):
    if isinstance(node, ast.Name):
        return node.id in _everything
    if isinstance(node, ast.Attribute):
        return node.attr in _attributes or (node.attr == 'modules' and isinstance(node.value, ast.Name) and node.value.id == 'sys')
    if isinstance(node, ast.alias):
        return node.name in _everything
    return isinstance(node, ast.Constant) and is_text_for_everything(node.value)


def _asks_for_main(node):
    """`__name__ == '__main__'`"""
    return isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id == '__name__'
