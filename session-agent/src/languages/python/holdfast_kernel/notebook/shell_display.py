"""The parts of the IPython shell that show values: as results of the running step, with text of bounded length."""

from IPython.core import displayhook, displaypub, formatters
from IPython.lib import pretty

from ..show import display
from ..show.bounded_bundle import text_characters_max

cut_mark = '… (cut)'
_kept_characters_max = 65536
_display_id_characters_max = 256


class DisplayPublisher(displaypub.DisplayPublisher):
    def publish(self, data, metadata=None, *_source, transient=None, update=False, **_options):
        """Sends a bundle as a result, or as other content for the results with its display id."""
        metadata = dict(metadata or {})
        self._validate_data(data, metadata)
        display_id = (transient or {}).get('display_id')
        if display_id is not None:
            display_id = str(display_id)[:_display_id_characters_max] or None
        if not update:
            display.publish(data, metadata, display_id=display_id)
        elif display_id is not None:
            display.update(data, metadata, display_id)

    def clear_output(self, wait=False):
        """Tells front ends to clear the output so far. It stays part of the step."""
        display.clear(wait)


class DisplayHook(displayhook.DisplayHook):
    """Shows the values of cells that magics run inside a step."""

    def __init__(self, shell=None, **options):
        bound = {name: shell.user_ns[name] for name in ('_', '__', '___') if name in shell.user_ns}
        super().__init__(shell=shell, **options)
        shell.user_ns.update(bound)

    def write_output_prompt(self):
        """Results have no prompts."""

    def write_format_data(self, format_dict, md_dict=None):
        display.publish(format_dict, md_dict or {}, is_main=True)

    def update_user_ns(self, result):
        self.shell.own_history.note(self.prompt_count, result)

    def log_output(self, format_dict):
        text = format_dict.get('text/plain')
        if text is None:
            return
        if self.shell.logger.log_output:
            self.shell.logger.log_write(text, 'output')
        self.shell.history_manager.output_hist_reprs[self.prompt_count] = text[:_kept_characters_max]

    def finish_displayhook(self):
        self._is_active = False

    def flush(self):
        self.shell.own_history.forget_outputs()


class OutputTexts(dict):
    """The texts of shown values for `%history -o`, by step number. Those from before the shell was built are made when they are asked for."""

    def __init__(self, outputs, shell):
        super().__init__()
        self._outputs = outputs
        self._shell = shell

    def get(self, number, default=None):
        if number not in self and number in self._outputs:
            content, _ = self._shell.display_formatter.format(self._outputs[number], include=['text/plain'])
            self[number] = content.get('text/plain', '')[:_kept_characters_max]
        return super().get(number, default)


class PlainTextFormatter(formatters.PlainTextFormatter):
    """Cuts the text while it is made, as that of nested lists may be larger than the memory."""

    @formatters.catch_format_error
    def __call__(self, obj):
        if not self.pprint:
            return repr(obj)
        stream = _Stream()
        printer = pretty.RepresentationPrinter(
            stream,
            self.verbose,
            self.max_width,
            self.newline,
            max_seq_length=self.max_seq_length,
            singleton_pprinters=self.singleton_printers,
            type_pprinters=self.type_printers,
            deferred_pprinters=self.deferred_printers,
        )
        try:
            printer.pretty(obj)
            printer.flush()
        except _Full:
            return ''.join(stream.parts)[: text_characters_max - len(cut_mark)] + cut_mark
        except RecursionError:
            # The interpreter's own repr takes fewer frames for each level.
            return repr(obj)
        return ''.join(stream.parts)


class _Full(BaseException):
    """No `except Exception` of the user's catches it."""


class _Stream:
    def __init__(self):
        self.parts = []
        self._left = text_characters_max

    def write(self, text):
        self.parts.append(text)
        self._left -= len(text)
        if self._left < 0:
            raise _Full
