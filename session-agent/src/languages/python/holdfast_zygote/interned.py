"""Room in the table in which Python keeps interned strings."""

import resource
import sys

_strings_max = 1 << 18
_batch = 64
# A batch by itself takes none or a few.
_rebuild_faults = 128


def renew_interned_table():
    """Lets Python rebuild the table now, as it does whenever tens of thousands have come since the last time.

    Each step brings one or two, the name of its source at least. A kernel that rebuilds the table of numerical libraries has 1.5 MiB
    of its own where it shared them. Nothing tells of the rebuild but the page faults of the new table.
    """
    if sys.version_info[:2] == (3, 12):
        # There interned strings stay for good.
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
