"""Does around each step, as IPython does around a cell: counts, triggers events, and keeps the record of the last execution and the log."""

from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult

from ..show.bundle import Bundle


class ShellSteps:
    def __init__(self, shell):
        self._shell = shell
        self._result = None

    def begin(self, number, code):
        """Call before a step's code is compiled, or with the code None before a message for a comm is handled."""
        shell = self._shell
        shell.execution_count = number + 1
        shell.shown_error = None
        self._result = None
        shell.events.trigger('pre_execute')
        if code is not None:
            self._result = ExecutionResult(ExecutionInfo(code, True, False, True, None))
            self._result.execution_count = number
            shell.history_manager.db_input_cache.append((number, code, code))
            shell.events.trigger('pre_run_cell', self._result.info)

    def begin_silently(self):
        """The same for a step that no count, history or log has, and that is not the last execution."""
        self._shell.shown_error = None
        self._result = None
        self._shell.events.trigger('pre_execute')

    def compiled(self, python, code, future_flags):
        """Call before the code runs, with the Python that it is or has become."""
        self._shell.compile.flags |= future_flags
        if self._result is not None:
            self._shell.logger.log(python, code)

    def bundle_of(self, value):
        """Returns the bundle of the value of a step. An error of its display methods comes with it, and the step fails."""
        shown = self.describe(value)
        if self._result is not None:
            self._result.result = value
        self._shell.displayhook.log_output(shown.content)
        return shown

    def describe(self, value):
        """Returns the bundle of a value that is not the value of a step."""
        errors = self._shell.display_errors = []
        try:
            content, metadata = self._shell.display_formatter.format(value)
        finally:
            self._shell.display_errors = None
        return Bundle(content, metadata, errors[0] if errors else None)

    def end(self, error):
        """Call when the value has been shown, or with the error of the step."""
        shell = self._shell
        shell.events.trigger('post_execute')
        if self._result is not None:
            self._result.error_in_exec = error
            shell.last_execution_result, shell.last_execution_succeeded = self._result, error is None
            shell.events.trigger('post_run_cell', self._result)
