"""Says which names statements may have changed that ran after a snapshot and do not run again."""

import ast
import types

from ..immutable import is_immutable
from .known_definitions import is_plain_definition
from ..beside.own_values import own_values
from ..beside.set_attributes import is_foreign
from ..looking import is_a, is_of_step, vars_of
from .names_in import attributes_in, names_in, parts_set_in, surely_bound
from .own_modules import own_modules
from .reach import reach_of
from .readable import is_readable
from .reads import gives_atom, only_reads
from ..sharing import Sharing
from .unsaved_values import ends_with_code, is_harmless, is_of_notebook, notebook_names_in, uses_state_of_module
from .words import is_name_for_everything, is_value_for_everything, reaches_everything


class Effects:
    """Follows statements in their order."""

    def __init__(self, main, loaded):
        self._main = main
        self._sharing = loaded.sharing
        self._users = loaded.users
        # Names that such statements have bound: to which values is not known.
        self._unknown = set()
        # Names of the snapshot that could not be saved: their values can share parts with any other, and run any code.
        self._unsaved = {name: reason for name, reason in loaded.lost.items() if not name.startswith('(') and not is_harmless(reason, main)}
        # Names that steps have made, and not IPython.
        self._names = set(loaded.restored)
        # The last words of attributes of modules that may not be as they were: `answer` of `json.answer`.
        self._words_of_modules = {name.rpartition('.')[2] for name in loaded.lost if '.' in name and not name.startswith('(')}
        self.is_everything = False

    def of(self, statement, is_certain):
        """The names that the statement may have changed. `is_certain` if it ran to its end."""
        bound, mentioned, changed_parts = names_in(statement)
        if reaches_everything(statement) or any(is_name_for_everything(name) for name in mentioned):
            self.is_everything = True
        ended, stored_at_end = self._ended_by(bound)
        if is_certain:
            self._forget(surely_bound(statement))
        known = {name for name in mentioned if name in self._main}
        unknown = mentioned & self._unknown
        uses_unsaved = self._uses_unsaved(statement, mentioned)
        self._unknown |= bound
        value = _plain_value(statement)
        is_known = not (unknown or ended or stored_at_end or uses_unsaved) and mentioned.isdisjoint(self._unsaved)
        if value is not None and is_known and only_reads(value, self._main) and all(map(self._is_plain, known)):
            if not gives_atom(value, self._main):
                self._join([*bound, *self._mutable(known)])
            return bound
        touched, stored = self._touched(known, mentioned)
        changed_values = {name for name in changed_parts & known if not is_foreign(self._main[name], self._main) and not self._is_of_notebook(name)}
        touched |= unknown | ended | changed_values | self._aliases(changed_values)
        stored |= stored_at_end
        for owner in parts_set_in(statement):
            touched |= self._classes_in(name for name in names_in(owner)[1] if name in self._main)
        if uses_unsaved:
            touched |= self._by_unknown_code()[0]
        # A value that was put into another one can be reached by way of it.
        self._join([*bound, *stored, *touched])
        return self._all_changed(bound, touched, stored)

    def _uses_unsaved(self, statement, mentioned):
        """Whether a statement uses values beside the names that are not those of the first kernel: of modules, or of what steps have shown."""
        if uses_state_of_module(statement, self._main) or self.notebook_names_in(statement):
            return True
        return self.uses_lost_of_modules(attributes_in(statement), mentioned)

    def uses_lost_of_modules(self, words, names):
        """Whether these words of attributes, or names that are built-in ones, are among those of modules that may not be as they were."""
        return not self._words_of_modules.isdisjoint([*words, *(name for name in names if name not in self._main)])

    def lose_of_modules(self, paths):
        """Notes that attributes of modules may not be as they were, such as `json.answer`."""
        self._words_of_modules.update(path.rpartition('.')[2] for path in paths)

    def notebook_names_in(self, tree):
        """The names of IPython that code reads and no step has bound: what earlier steps have shown, each of which may be the value of a name."""
        return set(filter(self._is_of_notebook, notebook_names_in(tree)))

    def _is_of_notebook(self, name):
        return is_of_notebook(name) and name not in self._names and name not in self._unknown

    def of_name(self, name):
        """The names that the code behind the value of a name may change."""
        return self._all_changed(set(), *self._touched({name}, ()))

    def _all_changed(self, bound, touched, stored):
        changed = bound | stored
        for name in touched:
            changed.update(self._sharing.of(name))
        for name in list(changed):
            self._note_users(name)
            # The class of that name may have changed, even if the name is gone: its users may have the class itself.
            if name not in bound:
                changed.update(self._users.get(name, ()))
        return changed

    def _note_users(self, class_name):
        """Notes the names whose values use the class, also those that later steps have bound."""
        if not is_a(self._main.get(class_name), type):
            return
        now = Sharing(self._main)
        try:
            for name, value in list(self._main.items()):
                now.add(name, value)
        except ValueError:
            self.is_everything = True
        self._users[class_name] = {*self._users.get(class_name, ()), *now.users.get(class_name, ())}

    def ran_again(self, bound, expressions):
        """Notes that code ran again that bound these names. Their values may have parts of those that the expressions mention."""
        mentioned = set().union(*(names_in(expression)[1] for expression in expressions))
        self._unknown -= bound
        self._forget(bound)
        self._names |= bound
        touched, stored = self._touched({name for name in mentioned if name in self._main}, mentioned)
        self._join([*(name for name in bound if name in self._main), *stored, *touched])

    def _touched(self, names, mentioned):
        """The names whose values code can get hold of that is reached from these, and the names that it binds."""
        main = self._main
        touched, stored, mentioned = set(self._mutable(names)), set(), set(mentioned)
        changes_classes = runs_modules = False
        for name in names:
            reach = reach_of(main[name], main)
            runs_modules = runs_modules or reach.has_code_of_modules
            mentioned |= reach.read
            runs_modules = runs_modules or self.uses_lost_of_modules(reach.words, ())
            self.is_everything = self.is_everything or reach.is_everything
            stored |= reach.stored
            used = {other for other in reach.read if other in main}
            touched.update(self._mutable(used))
            if reach.changes_attributes:
                # A class of a library is only changed by its name, which counts below.
                touched.update(other for other in used if is_a(main[other], type) and is_of_step(main[other]))
            changes_classes = changes_classes or reach.changes_classes
            touched |= self._aliases(reach.changed & main.keys())
        if changes_classes:
            touched |= self._classes_in(names)
        is_unknown = runs_modules or not mentioned.isdisjoint(self._unsaved)
        reached, bound = self._by_unknown_code() if is_unknown else (set(), set())
        return touched | reached, stored | bound

    def _classes_in(self, names):
        """The names of classes that the values of these lead to."""
        met = {}
        for name in names:
            met.update(reach_of(self._main[name], self._main).classes)
        return {other for other, value in self._main.items() if id(value) in met}

    def _aliases(self, names):
        """The names that have one of these functions or classes, too. Its attributes are set."""
        parts = [self._main[name] for name in names if is_a(self._main[name], (types.FunctionType, type))]
        sharing = Sharing(self._main)
        return {name for part in parts for name in self._names if name in self._main and sharing.holds(self._main[name], part)}

    def ends(self, bound):
        """The names that code may change that runs at the end of the values that these names had."""
        touched, stored = self._ended_by(bound)
        return stored.union(*(self._sharing.of(name) for name in touched))

    def _ended_by(self, bound):
        ending = {name for name in bound if name in self._main and reach_of(self._main[name], self._main).has_finalizer}
        touched, stored = self._touched(ending, ending) if ending else (set(), set())
        has_finalizers = any(is_a(value, type) and '__del__' in vars_of(value) for value in list(self._main.values()))
        unsaved = {name for name in bound if name in self._unsaved and (has_finalizers or ends_with_code(self._unsaved[name]))}
        reached, bound_by_it = self._by_unsaved(unsaved)
        return touched | reached, stored | bound_by_it

    def _forget(self, names):
        for name in names:
            self._unsaved.pop(name, None)

    def _by_unsaved(self, unsaved):
        """The names that code can change which is not known: all whose values can change, and those that the code of the context binds."""
        return self._by_unknown_code() if unsaved else (set(), set())

    def _by_unknown_code(self):
        values = {name: self._main[name] for name in self._names if name in self._main}
        reaches = [reach_of(value, self._main) for value in values.values() if not is_immutable(value)]
        bound = set().union(*(reach.stored for reach in reaches))
        changed = {name for name, value in values.items() if is_a(value, type) and not is_immutable(value)}
        return {*self._mutable(values), *changed, *(one.path for one in own_values(own_modules()))}, bound

    def _mutable(self, names):
        main = self._main
        names = [name for name in names if not is_immutable(main[name]) and not self._is_of_notebook(name)]
        return [name for name in names if not is_plain_definition(main[name])]

    def _is_plain(self, name):
        """Whether no code of a step runs when the value is read."""
        value = self._main[name]
        if is_plain_definition(value):
            return is_a(value, types.FunctionType)
        if is_value_for_everything(value):
            return False
        reach = reach_of(value, self._main)
        return not (reach.has_own_code or reach.has_code_of_modules or reach.is_everything) and (is_immutable(value) or is_readable(value))

    def _join(self, names):
        for name in names[1:]:
            self._sharing.join(names[0], name)


def _plain_value(statement):
    """The expression of a statement that does nothing but evaluate it and bind names to its value; None for any other."""
    if isinstance(statement, ast.Expr):
        return statement.value
    if isinstance(statement, ast.Assign) and all(map(_is_name, statement.targets)):
        return statement.value
    if isinstance(statement, ast.AnnAssign) and _is_name(statement.target):
        return statement.value
    return None


def _is_name(target):
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(map(_is_name, target.elts))
    return isinstance(target, ast.Name)
