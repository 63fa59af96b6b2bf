"""Goes through the steps that ran after a snapshot: runs again what may run again, and removes what the others may have changed."""

import ast
import builtins
import inspect
import linecache

from ...notebook import open_shell
from ...run.compiler import features_in
from .commands import names_in_commands, without_commands
from .computed import computed_names
from .definition_parts import bound_by, evaluated_in
from .definitions import runs_again
from .effects import Effects
from .names_in import attributes_in, names_in
from .reach import reach_of
from .replayed_calls import ReplayedCalls
from .reached_surroundings import ReachedSurroundings, random_state
from .set_in_modules import set_in_modules
from ...editor.symbols import hidden
from ..short_texts import message_of
from ..step_sources import replayed_filename
from .step_trees import flags, read_step
from .words import reaches_everything

# Lost values that never end.
_kept = []


class LaterSteps:
    def __init__(self, main, loaded, generation, set_attributes, folder):
        self._main = main
        self._loaded = loaded
        self._effects = Effects(main, loaded)
        self._surroundings = ReachedSurroundings(main)
        self._generation = generation
        self._set_attributes = set_attributes
        self._calls = ReplayedCalls(folder)
        self._step_id = None
        self.replayed = set()
        self.lost = dict(loaded.lost)
        self.stopped = None

    def go_through(self, steps):
        for step in steps:
            self._step_id = step['stepId']
            try:
                self._take(step)
            except BaseException as error:
                self._take_unknown(step, error)

    def _take(self, step):
        try:
            tree, python = read_step(step['code'], self._main, self.lost)
        except (SyntaxError, ValueError, RecursionError) as error:
            self._take_unreadable(step, error)
            return
        if step['replay'] and self.stopped is None:
            self._run_whole(tree, python, step)
        elif step['status'] == 'succeeded':
            for statement in tree.body:
                self._take_statement(statement, python)
        else:
            self._lose(tree.body, is_certain=False)

    def _take_unreadable(self, step, error):
        # Without IPython, the kernel cannot tell whether the commands of such a step ran.
        if step['status'] == 'failed' and not step['code'].lstrip().startswith(('%', '!')):
            return
        if step['replay'] and self.stopped is None:
            self.stopped = {'stepId': step['stepId'], 'reason': 'the step cannot be read: %s' % message_of(error)[:200]}
        self._lose_everything('a step that cannot be read ran after the snapshot')

    def _take_unknown(self, step, error):
        """After an error in the analysis, nothing is known of what the step has changed."""
        if self.stopped is None and step['replay']:
            self.stopped = {'stepId': step['stepId'], 'reason': 'the step cannot be followed: %s' % type(error).__name__}
        self._lose_everything('a step that cannot be followed ran after the snapshot')

    def _take_statement(self, statement, code):
        computed = None if self._effects.notebook_names_in(statement) else computed_names(statement, self._main)
        if computed is not None or self._is_definition(statement):
            before = bound_by(statement) if computed is None else computed
            ended = self._effects.ends({name for name in before if name not in self._main})
            self._lose_names(ended, self._reason())
            try:
                self._execute([statement], code)
            except BaseException as error:
                self._lose_names(before, 'its definition failed when it ran again: %s' % type(error).__name__)
                return
            self._have(before)
            self._effects.ran_again(before, evaluated_in(statement))
        else:
            self._lose([statement])

    def _is_definition(self, statement):
        return runs_again(statement, self._main) and not self._needs_lost(statement)

    def _needs_lost(self, statement):
        """Whether a definition evaluates a lost name or attribute: a decorator, a default, a base, or the body of a class, or what it imports."""
        nodes = [node for part in evaluated_in(statement) for node in ast.walk(part)]
        read = {node.id for node in nodes if isinstance(node, ast.Name)}
        words = {node.attr for node in nodes if isinstance(node, ast.Attribute)} | {alias.name for alias in getattr(statement, 'names', ())}
        is_lost = any(name in self.lost and name not in self._main for name in read) or any(map(self._effects.notebook_names_in, evaluated_in(statement)))
        return is_lost or self._effects.uses_lost_of_modules(words, read)

    def _missing(self, tree, step):
        """A lost name that the step may use without an error that shows, or None."""
        of_notebook = self._effects.notebook_names_in(tree)
        if of_notebook:
            return min(of_notebook)
        mentioned = names_in(tree)[1]
        by_functions = set().union(*(reach_of(self._main[name], self._main).read for name in mentioned if name in self._main))
        # A step that failed can fail for want of a name now.
        silent = by_functions if step['status'] == 'succeeded' else by_functions | mentioned
        silent = silent | names_in_commands(tree)
        words = set().union(attributes_in(tree), *(reach_of(self._main[name], self._main).words for name in mentioned if name in self._main))
        # A part of a module is known by its last word: `json.answer`.
        silent |= {name for name in self.lost if '.' in name and name.rpartition('.')[2] in words}
        return next((name for name in self.lost if name in silent and name not in self._main), None)

    def _missing_surroundings(self, tree):
        """Lost surroundings that the step may use, or None. Any code may use them, except random numbers."""
        lost = [name for name in self.lost if name.startswith('(')]
        if lost == [random_state]:
            return next((random_state for statement in tree.body if random_state in self._surroundings.of(statement)), None)
        return next(iter(lost), None)

    def _run_whole(self, tree, python, step):
        plain = without_commands(tree, self._main)
        missing = self._missing(tree, step) or self._missing_surroundings(tree)
        if missing is not None or (any(map(_is_name, self.lost)) and _looks_for_names(plain)):
            uses = 'the step may look for names that are lost' if missing is None else 'the step uses %s, which is lost' % missing
            self.stopped = {'stepId': step['stepId'], 'reason': uses}
            self._lose(tree.body)
            return
        names = {name: id(value) for name, value in self._main.items()}
        error = None
        self._calls.begin(step['stepId'])
        try:
            self._execute(tree.body, python)
            _raise_shown()
        except BaseException as raised:
            error = raised
        refusal = self._calls.end()
        if refusal is not None:
            self.stopped = {'stepId': step['stepId'], 'reason': refusal}
            self._lose(tree.body)
            return
        if (error is None) != (step['status'] == 'succeeded'):
            how = 'it succeeded' if error is None else 'it failed: %s: %s' % (type(error).__name__, message_of(error)[:200])
            self.stopped = {'stepId': step['stepId'], 'reason': 'the step ended as %s, and now %s' % (step['status'], how)}
            self._lose(tree.body)
            return
        bound, _, _ = names_in(tree)
        self._effects.ran_again(bound, plain.body)
        changed = {name for name, value in self._main.items() if names.get(name) != id(value)}
        self._have({name for name in bound | changed if name in self._main})
        for name in names:
            if name not in self._main:
                self.replayed.discard(name)
                self.lost.pop(name, None)

    def _execute(self, statements, code):
        self._set_attributes.note(code, ast.Module(statements, []))
        filename = replayed_filename(self._generation)
        linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
        if open_shell.shell is not None:
            open_shell.shell.shown_error = None
        compiled = compile(ast.Module(statements, []), filename, 'exec', flags | features_in(self._main), dont_inherit=True)
        value = eval(compiled, self._main)
        if inspect.iscoroutine(value):
            import asyncio

            asyncio.run(value)

    def _have(self, names):
        for name in names:
            self.lost.pop(name, None)
            self.replayed.add(name)

    def _lose(self, statements, is_certain=True):
        changed, surroundings, of_modules = set(), set(), set()
        for statement in statements:
            of_modules |= set_in_modules(statement, self._main)
            changed |= self._effects.of(without_commands(statement, self._main), is_certain)
            surroundings |= self._surroundings.of(statement)
            self._effects.lose_of_modules(of_modules | {name for name in changed if '.' in name})
        for name in changed:
            self._surroundings.lose(name, surroundings)
        if self._effects.is_everything:
            self._lose_everything('a step that can change any name ran after the snapshot')
        reason = self._reason()
        self._lose_names(changed, reason)
        for name in surroundings | of_modules:
            self.lost.setdefault(name, reason)

    def _reason(self):
        return 'step %s ran after the snapshot and may have changed it' % self._step_id

    def _lose_everything(self, reason):
        self._effects.is_everything = False
        reason = '%s (%s)' % (reason, self._step_id)
        self._lose_names({*self._loaded.restored, *self.replayed}, reason)
        # It may also have made names that no code mentions.
        self.lost['*'] = reason

    def _lose_names(self, names, reason):
        for name in names:
            is_builtin = hasattr(builtins, name) and name not in self._main
            if name.startswith('__') or name in hidden or is_builtin:
                continue
            self._remove(name)
            self.replayed.discard(name)
            self.lost[name] = reason

    def _remove(self, name):
        # The end of the value would run code of a step, `__del__`, which changes others.
        if name in self._main and self._may_have_finalizer(self._main[name]):
            _kept.append(self._main[name])
        self._main.pop(name, None)

    def _may_have_finalizer(self, value):
        try:
            return reach_of(value, self._main).has_finalizer
        except BaseException:
            return True

    def report(self):
        restored = [name for name in dict.fromkeys(self._loaded.restored) if name not in self.lost and name not in self.replayed]
        restored = [name for name in restored if name in self._main]
        return {
            'restored': restored,
            'replayed': sorted(name for name in self.replayed if name in self._main),
            'lost': [{'name': name, 'reason': reason[:500]} for name, reason in self.lost.items()],
            'stopped': self.stopped,
        }


def _is_name(lost):
    """Whether it is a name or `*`, and neither one of the surroundings, which are in parentheses, nor a part of a module."""
    return not lost.startswith('(') and '.' not in lost


def _raise_shown():
    """Raises the error that a magic has caught and shown, by which its step failed."""
    if open_shell.shell is not None and open_shell.shell.shown_error is not None:
        raise open_shell.shell.shown_error


def _looks_for_names(tree):
    """Whether code could find out that a name is missing, and go on in another way."""
    mentioned = names_in(tree)[1] | attributes_in(tree)
    return reaches_everything(tree) or bool({'dir', 'NameError', 'hasattr'} & mentioned) or any(isinstance(node, ast.Try) for node in ast.walk(tree))
