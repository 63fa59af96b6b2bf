"""The notebook's part of each step: its history, and what the IPython shell does around a step once it is open."""

from ..agent import interrupt
from ..show import display
from ..show.bundle import bundle_of
from . import open_shell


class NotebookSteps:
    def __init__(self, main, history, streams, stdin, context):
        self._parts = (main, history, streams, stdin)
        self._context = context
        self._history = history
        self._number, self._code, self._is_silent = 0, None, False
        self._shell_steps = None
        open_shell.prepare(self._build)
        display.use_bundles(self._bundle, asks_about_all=False)

    def begin(self, number, code, is_silent):
        """Call before a step's code is compiled, or before a message for a comm is handled, which has no code. A silent step leaves no trace."""
        self._number, self._code, self._is_silent = number, code, is_silent
        if code is not None and not is_silent:
            self._history.note_input(number, code)
        if self._shell_steps is not None:
            self._context.run(self._begin_in_shell)
        elif code is not None and 'IPython' in code:
            # The step may change settings on IPython's classes, which hold for the shell.
            self._context.run(open_shell.open_shell)

    def compiled(self, python, future_flags):
        """Call before a step's code runs, with the Python that IPython has made of it or that it is."""
        if python is not self._code and not self._is_silent:
            self._history.note_translation(self._number, python)
        if self._shell_steps is not None:
            self._shell_steps.compiled(python, self._code, future_flags)

    def has_shell(self):
        return self._shell_steps is not None

    def end(self, error):
        """Call after a step's value has been shown, or with its error, if there is a shell. It may show figures now."""
        self._shell_steps.end(error)

    def raise_shown(self):
        """Raises the error that a magic of the step has caught and shown, as `%run` and `%time` do with those of the user's code."""
        shell = open_shell.shell
        if shell is not None and shell.shown_error is not None:
            raise shell.shown_error
        if interrupt.came() and self._code is not None and self._code.lstrip().startswith('%%'):
            # Cell magics pass an interrupt on to their program and may keep it to themselves.
            raise KeyboardInterrupt

    def shows(self, error):
        """Whether a handler that the user has set for errors of this kind (`set_custom_exc`) has shown the error."""
        shell = open_shell.shell
        if shell is None or not isinstance(error, shell.custom_exceptions):
            return False
        shell.CustomTB(type(error), error, error.__traceback__)
        return True

    def wants_debugger(self):
        """Whether `%pdb` is on and the step may ask for the debugger's commands."""
        shell = open_shell.shell
        return shell is not None and shell.call_pdb and shell.own_stdin.may_ask()

    def debug(self):
        open_shell.shell.debugger(force=True)

    def _build(self):
        from .build_shell import build_shell
        from .shell_steps import ShellSteps

        shell = build_shell(*self._parts)
        self._shell_steps = ShellSteps(shell)
        self._begin_in_shell()
        # `%precision` and formatters of the user's change how plain values are shown, too.
        display.use_bundles(self._bundle, asks_about_all=True)
        return shell

    def _begin_in_shell(self):
        if self._is_silent:
            self._shell_steps.begin_silently()
        else:
            self._shell_steps.begin(self._number, self._code)

    def _bundle(self, value, is_result=True):
        if open_shell.open_shell() is None:
            return bundle_of(value)
        return self._shell_steps.bundle_of(value) if is_result and not self._is_silent else self._shell_steps.describe(value)
