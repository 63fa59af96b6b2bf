"""Makes room in the table that holds Python's interned strings."""

import resource
import sys

_strings_max = 1 << 18
_batch = 64
# A batch alone causes no page fault or a few.
_rebuild_faults = 128


def renew_interned_table():
    """Makes Python rebuild the table now, as it does whenever tens of thousands of strings have come since the last time.

    Each step interns one or two strings, the name of its source at least. If a kernel had to rebuild the table that numerical
    libraries have filled, 1.5 MiB that it shares would become its own. Only the page faults of the new table show the rebuild.
    """
    if sys.version_info[:2] == (3, 12):
        # That version never drops an interned string.
        return
    before = _page_faults()
    for number in range(_strings_max):
        sys.intern(f'holdfast {number}')
        if number % _batch == 0:
            now = _page_faults()
            if now - before > _rebuild_faults:
                return
            before = now


def _page_faults():
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
