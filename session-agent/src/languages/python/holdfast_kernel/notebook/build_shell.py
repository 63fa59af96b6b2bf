"""Builds the kernel's IPython shell. Import it only for this: it loads IPython."""

import IPython
from traitlets.config import Config

from ..comms.parent import Parent
from .shell_folder import shell_folder
from .shell_inspector import Inspector
from .shell_settings import settings_of
from .zmqshell import ZMQInteractiveShell


def build_shell(main, history, streams, stdin):
    config = Config()
    config.HistoryManager.hist_file = ':memory:'
    config.InteractiveShell.colors = 'nocolor' if IPython.version_info >= (9,) else 'NoColor'
    # There is no pager, so what it would show becomes a result.
    config.InteractiveShell.display_page = True
    config.InteractiveShell.inspector_class = Inspector
    # By this section libraries find out that they run in a notebook's kernel.
    config.IPKernelApp.parent_appname = 'holdfast'
    parts = {'own_history': history, 'own_streams': streams, 'own_stdin': stdin, 'kernel': Parent()}
    shell = ZMQInteractiveShell.instance(
        config=config, ipython_dir=shell_folder(), user_module=main, user_ns=main.__dict__, **parts
    )
    shell.kernel.shell = shell
    shell.own_cleanups = list(shell.input_transformers_cleanup)
    # IPython has its display hook in place for the time of a cell. Cells that magics run inside one must not replace it.
    shell.display_trap.__enter__()
    shell.extension_manager.load_extension('storemagic')
    shell.own_first_settings = settings_of(shell)
    return shell
