"""Magics that IPython itself has in a terminal alone, and Jupyter's kernel in notebooks as well."""

from IPython.core import page
from IPython.core.magic import Magics, line_magic, magics_class


@magics_class
class PagerMagics(Magics):
    @line_magic
    def less(self, line):
        """Show a file.

        Files ending in .py are shown with highlighted syntax if colors are on.
        """
        if not line:
            self.shell.run_line_magic('pinfo', '%less')
        elif line.endswith('.py'):
            self.shell.run_line_magic('pycat', line)
        else:
            with open(line, encoding='utf-8', errors='replace') as file:
                page.page(file.read())

    @line_magic
    def more(self, line):
        """Show a file, as %less does."""
        self.less(line)

    @line_magic
    def man(self, line):
        """Show the page of the manual for a command."""
        page.page(self.shell.getoutput('man %s | col -b' % line, split=False))

    @line_magic
    def clear(self, line):
        """Clear the output of the cell."""
        self.shell.display_pub.clear_output()
