"""IPython's shell with the kernel's namespace, history, output, errors and shell commands. Import it only to build the shell."""

import builtins
import sys

from IPython.core.error import StdinNotImplementedError, UsageError
from IPython.core.interactiveshell import InteractiveShell, InteractiveShellABC
from IPython.utils.text import LSString, SList
from traitlets import Any, Type

from ..show import display
from ..streams.asked_input import not_allowed
from .shell_command import read_command, run_command
from .shell_display import DisplayHook, DisplayPublisher, OutputTexts, PlainTextFormatter
from .shell_magics import PagerMagics

# The names that `%gui` and `%matplotlib` have for what needs no event loop of its own, and for what needs a display.
_without_loop = (None, 'inline', 'nbagg', 'webagg', 'notebook', 'ipympl', 'widget', 'asyncio')
_with_display = ('qt', 'qt5', 'qt6', 'wx', 'tk', 'gtk', 'gtk3', 'gtk4', 'osx', 'macosx')


class ZMQInteractiveShell(InteractiveShell):
    """Has the name of the shell of Jupyter's kernel, and so has this file: by them libraries tell that there is a notebook and no terminal.

    `shown_error` is the last error that a magic has caught and shown. The step that it comes from fails with it. `own_cleanups` are the first
    transformers as they were before the user's code could add others.
    """

    displayhook_class = Type(DisplayHook)
    display_pub_class = Type(DisplayPublisher)
    own_history = Any()
    own_streams = Any()
    own_stdin = Any()
    kernel = Any()
    shown_error = Any()
    own_cleanups = Any()
    # The settings of the shell when it was new.
    own_first_settings = Any()
    # Collects the errors of display methods while the value of a step is shown.
    display_errors = Any()

    def init_virtualenv(self):
        """The kernel's interpreter has its packages already."""

    def init_history(self):
        super().init_history()
        manager, history = self.history_manager, self.own_history
        manager.input_hist_parsed, manager.input_hist_raw = history.inputs, history.raw_inputs
        manager.output_hist = history.outputs
        manager.output_hist_reprs = OutputTexts(history.outputs, self)
        # The running step comes with `begin_step`.
        earlier = range(1, len(history.inputs) - 1)
        manager.db_input_cache.extend((n, history.inputs[n], history.raw_inputs[n]) for n in earlier)

    def init_user_ns(self):
        # `exit`, `quit` and `open` stay Python's, and `get_ipython` is a builtin.
        self.own_history.restore()
        self.user_ns['_dh'] = self.history_manager.dir_hist
        self.user_ns_hidden.update((name, self.user_ns[name]) for name in ('In', 'Out', '__builtins__'))

    def init_builtins(self):
        super().init_builtins()
        builtins.get_ipython = self.get_ipython
        self.builtin_trap.auto_builtins = {'get_ipython': self.get_ipython}

    def init_traceback_handlers(self, custom_exceptions):
        super().init_traceback_handlers(custom_exceptions)
        # IPython leaves out the frame of its own loop. The kernel's tracebacks begin in the user's code.
        self.InteractiveTB.tb_offset = 0

    def init_display_formatter(self):
        super().init_display_formatter()
        self.display_formatter.formatters['text/plain'] = PlainTextFormatter(parent=self.display_formatter)

    def init_magics(self):
        super().init_magics()
        self.register_magics(PagerMagics)

    def init_hooks(self):
        super().init_hooks()
        self.set_hook('editor', _refuse_editor, 0)

    def enable_gui(self, gui=None):
        if gui in _with_display:
            raise UsageError('there is no display here on which the event loop of %r could show windows' % gui)
        if gui not in _without_loop:
            raise ValueError('Invalid GUI request %r, valid ones are: %s' % (gui, ', '.join(filter(None, _without_loop))))

    def ask_yes_no(self, prompt, default=None, interrupt=None):
        if not self.own_stdin.may_ask():
            raise StdinNotImplementedError(not_allowed)
        return super().ask_yes_no(prompt, default, interrupt)

    def debugger(self, force=False):
        if not (force or self.call_pdb):
            return
        if not self.own_stdin.may_ask():
            raise UsageError(not_allowed)
        # It would go on with the error that it showed last.
        self.InteractiveTB.tb = None
        super().debugger(force)

    def set_next_input(self, s, replace=False):
        """Shows the text that `%load` and `%recall` would put into a notebook's next cell."""
        self.display_pub.publish({'text/plain': s})

    def system(self, cmd):
        command = self.var_expand(cmd, depth=1)
        self.user_ns['_exit_code'] = run_command(command, self.own_streams)

    system_piped = system_raw = system

    def getoutput(self, cmd, split=True, depth=0):
        command = self.var_expand(cmd, depth=depth + 1)
        self.user_ns['_exit_code'], output = read_command(command, self.own_streams)
        return SList(output.splitlines()) if split else LSString(output)

    def showtraceback(self, exc_tuple=None, *arguments, **options):
        """Shows an error that the code has caught or of a display method, keeps an error that a magic has caught, or shows the last one for `%tb`."""
        if exc_tuple is not None:
            self._report(exc_tuple[1])
        elif sys.exc_info()[1] is not None:
            self.shown_error = sys.exc_info()[1]
            self._get_exc_info()
        else:
            super().showtraceback(exc_tuple, *arguments, **options)

    def showsyntaxerror(self, *arguments, **options):
        if sys.exc_info()[1] is not None:
            self.shown_error = sys.exc_info()[1]
        else:
            super().showsyntaxerror(*arguments, **options)

    def _report(self, error):
        if self.display_errors is not None:
            self.display_errors.append(error)
        else:
            display.report(error)


def _refuse_editor(*_):
    raise UsageError('there is no terminal here in which an editor could run')


InteractiveShellABC.register(ZMQInteractiveShell)
