# %% an integer
42
# %% a negative integer
-7
# %% a long integer
2**200
# %% an integer of four thousand digits
10**4000
# %% an integer beyond the limit of digits
10**5000
# %% booleans are words
True, False
# %% None is not shown
None
# %% a name bound to None is not shown
nothing = None
nothing
# %% Ellipsis
...
# %% NotImplemented
NotImplemented
# %% a float
0.1 + 0.2
# %% floats that are no numbers
[float('inf'), float('-inf'), float('nan')]
# %% floats in scientific notation
[1e100, 1e-7, 1e16, 123456789.123456789, -0.0]
# %% complex numbers
[1j, 3 + 4j, complex('nan+infj'), -0j]
# %% a string with both quotes
'it\'s "quoted"'
# %% a string with line ends and tabs
'one\ntwo\r\n\tthree'
# %% a string of several scripts
'é 日本語 😀 \u202e \x00 \x7f \xa0'
# %% a lone surrogate in a string is escaped
'a\ud800b'
# %% an empty string
''
# %% a long string stays on one line
'word ' * 60
# %% bytes
b'ascii \x00\xff "quoted" \'and\''
# %% a bytearray
bytearray(b'abc\n')
# %% a memoryview
memoryview(b'abc')
# %% ranges
[range(10), range(1, 10, 2), range(0)]
# %% a slice
slice(1, None, 2)
# %% fractions and decimals
import decimal
import fractions
[decimal.Decimal('1.10'), fractions.Fraction(3, 6)]
# %% dates and times
import datetime
[
    datetime.date(2024, 2, 29),
    datetime.datetime(2024, 2, 29, 12, 30, tzinfo=datetime.timezone.utc),
    datetime.timedelta(days=1, seconds=5),
]
# %% a path
import pathlib
pathlib.Path('/tmp') / 'x y'
# %% a uuid
import uuid
uuid.UUID(int=5)
# %% a compiled pattern
import re
re.compile(r'\d+\s"x"')
# %% a compiled pattern with flags
re.compile(r"it's \n", re.IGNORECASE | re.MULTILINE)
# %% a compiled pattern of bytes
re.compile(rb'a+b', re.DOTALL)
# %% a match
re.match('a+', 'aaab')
# %% a module
import sys
sys
# %% an enumeration and its members
import enum
class Colour(enum.Enum):
    RED = 1
    GREEN = 'g'
[Colour.RED, Colour.GREEN, Colour]
# %% flags
class Access(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()
Access.READ | Access.WRITE
# %% an integer enumeration
class Level(enum.IntEnum):
    LOW = 1
[Level.LOW, Level.LOW + 1]
# %% iterators of containers hide their address alone
iter([1, 2])
# %% a zip, a map and an enumerate
[zip([1], [2]), map(str, [1]), enumerate('a')]
# %% the type of a value
type(5)
# %% a semicolon silences
42;
# %% a semicolon and a comment silence
42;  # the answer
# %% a comment after a value does not silence
42  # the answer;
# %% a semicolon in a string does not silence
'a;'
# %% an assignment shows nothing
kept = 5
# %% a cell of comments shows nothing
# only a comment
# %% a cell without code

# %% a docstring-like cell is a string
"""text
over lines"""
# %% the last of several expressions is shown
1
2
3
# %% an expression before a statement is not shown
5
unshown = 1
# %% expressions on one line with semicolons
1; 2; 3
# %% a value after a statement on one line
answer = 6; answer * 7
# %% an assignment expression in parentheses
(walrus := 11)
# %% a conditional block shows nothing
if True:
    99
# %% a chained comparison
1 < 2 < 3
# %% a formatted string
f'{3.14159:.2f} {"x":>5} {kept!r} {kept=}'
# %% a lambda called
(lambda a, *b, c=3: (a, b, c))(1, 2)
# %% a type alias of generics
list[dict[str, int]], dict[str, list[int]] | None
# %% typing constructs
import typing
typing.Optional[int], typing.Any, typing.Callable[[int], str]
