"""Writes the synchronous half of the package from the asynchronous one, name by name.

Usage: python generate/sync.py FROM_FOLDER TO_FOLDER
"""

import re
import sys
from pathlib import Path

# Written by hand on both sides.
OWN = {"driver.py", "__init__.py"}
NAMES = {
    "__aiter__": "__iter__",
    "__anext__": "__next__",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "aclose": "close",
    "aread": "read",
    "aiter_bytes": "iter_bytes",
    "aiter_raw": "iter_raw",
    "asynccontextmanager": "contextmanager",
    "StopAsyncIteration": "StopIteration",
    "AsyncIterator": "Iterator",
    "AsyncIterable": "Iterable",
    "asynchronous": "synchronous",
    # In tests.
    "IsolatedAsyncioTestCase": "TestCase",
    "asyncSetUp": "setUp",
    "asyncTearDown": "tearDown",
}


def synchronous(source):
    source = re.sub(r"\basync (def|for|with)\b", r"\1", source)
    source = re.sub(r"\bawait ", "", source)
    source = re.sub(r"\w+", lambda word: NAMES.get(word.group(), word.group()), source)
    return re.sub(r"\bAsync(?=[A-Z])", "", source)


def main(origin, target):
    for path in sorted(Path(origin).glob("*.py")):
        if path.name not in OWN:
            head = f"# Generated from `{Path(origin).name}/{path.name}` by `generate/sync.py`: do not edit.\n"
            Path(target, path.name).write_text(head + synchronous(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
