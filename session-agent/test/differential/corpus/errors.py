# %% a division by zero
1 / 0
# %% an unknown name
unknown_name
# %% a name that is nearly right
number = 1
numbr
# %% an unknown attribute
[].push(1)
# %% a missing key
{'a': 1}['b']
# %% a missing key that is a number
{}[5]
# %% a missing key with quotes
{}["it's"]
# %% a missing index
[1][5]
# %% a wrong type
'a' + 1
# %% a wrong call
def two(a, b):
    return a
two(1)
# %% a wrong value
int('x')
# %% a missing module
import no_such_module_at_all
# %% a missing name in a module
from sys import no_such_name
# %% a missing file
open('/no/such/file')
# %% a failed assertion
assert 1 == 2, 'one is not two'
# %% a failed assertion without text
assert False
# %% an error without text
raise ValueError
# %% an error with several arguments
raise ValueError('a', 2, None)
# %% an error with a text of several lines
raise RuntimeError('first\nsecond')
# %% an error with an empty text
raise RuntimeError('')
# %% an error in other scripts
raise ValueError('naïve 日本語 😀')
# %% an error class of a cell
class OwnError(Exception):
    def __str__(self):
        return 'own text'
raise OwnError(1)
# %% an error of a nested class
class Holder:
    class Inner(Exception):
        pass
raise Holder.Inner('x')
# %% an error of a library
import json
json.loads('{')
# %% a chain by from
try:
    1 / 0
except ZeroDivisionError as error:
    raise RuntimeError('outer') from error
# %% a chain in passing
try:
    {}['k']
except KeyError:
    raise ValueError('while handling')
# %% a chain left out
try:
    {}['k']
except KeyError:
    raise ValueError('alone') from None
# %% an error with a note
error = ValueError('noted')
if hasattr(error, 'add_note'):
    error.add_note('the note')
raise error
# %% a group of errors
raise ExceptionGroup('several', [ValueError('a'), KeyError('b')])
# %% a group caught in part
try:
    raise ExceptionGroup('several', [ValueError('a'), KeyError('b')])
except* ValueError:
    print('caught')
# %% output before an error stays
print('before')
raise ValueError('after')
# %% the statements before an error have run
steps = ['first']
steps.append('second')
1 / 0
# %% and their effects stay
steps
# %% a function's error in a later cell
def fails(n):
    return 1 / n
fails(0)
# %% a recursion without end
def endless(n):
    return endless(n + 1)
endless(0)
# %% a syntax error
1 +
# %% a syntax error with place
x = = 2
# %% a string without end
'abc
# %% a bracket without end
print((1, 2)
# %% a wrong bracket
(1, 2]
# %% a print statement of Python 2
print 'x'
# %% a missing colon
if True
    pass
# %% a missing block
if True:
x = 1
# %% a wrong indentation
def f():
    a = 1
      b = 2
# %% a dedent to nowhere
if True:
        a = 1
    b = 2
# %% an assignment to a literal
5 = x
# %% a return outside a function
return 5
# %% a yield outside a function
yield 5
# %% a break outside a loop
break
# %% a nonlocal name at top level
nonlocal q
# %% a name that is local before its binding
def early():
    print(late)
    late = 1
early()
# %% an argument twice
def same(a, a):
    pass
# %% a keyword as a name
class = 5
# %% a future that is none
from __future__ import no_such_feature
# %% an unknown encoding
'é'.encode('ascii')
# %% bytes that are not UTF-8
b'\xff'.decode()
# %% an iterator that has ended
next(iter([]))
# %% an interrupt raised by hand
raise KeyboardInterrupt('by hand')
# %% an error in a comprehension
[1 / n for n in (1, 0)]
# %% an error in a generator
def bad():
    yield 1
    raise ValueError('in a generator')
list(bad())
# %% an error in a class body
class Broken:
    x = undefined_there
# %% an error in eval
eval('1 +')
# %% an error in exec
exec('raise KeyError("inside")')
# %% a string raised
raise 'text'
# %% an error while awaiting
import asyncio
async def wrong():
    await asyncio.sleep(0)
    raise LookupError('awaited')
await wrong()
# %% a task that fails in a gather
await asyncio.gather(wrong(), return_exceptions=True)
# %% a timeout
await asyncio.wait_for(asyncio.sleep(5), 0.01)
# %% too many digits to print
str(10**5000)
# %% an unhashable key
{[]: 1}
# %% an abstract class
import abc
class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self):
        ...
Shape()
# %% a frozen dataclass
import dataclasses
@dataclasses.dataclass(frozen=True)
class Fixed:
    a: int
Fixed(1).a = 2
# %% a stop of the iteration raised by hand
raise StopIteration(3)
# %% a repr that fails
class Unshown:
    def __repr__(self):
        raise ValueError('no repr')
Unshown()
# %% a repr that fails in a list
[Unshown()]
# %% a repr that is no string
class Number:
    def __repr__(self):
        return 5
Number()
# %% an error of the system's call
import os
os.close(9999)
# %% a warning made an error
import warnings
with warnings.catch_warnings():
    warnings.simplefilter('error')
    warnings.warn('now an error')
