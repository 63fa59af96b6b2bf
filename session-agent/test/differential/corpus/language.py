# %% an await
import asyncio
await asyncio.sleep(0, 'awaited')
# %% an await in an expression
[await asyncio.sleep(0, n) for n in range(3)]
# %% an await in a statement
value = await asyncio.sleep(0, 5)
value
# %% an async for
async def numbers():
    for n in range(3):
        yield n
async for n in numbers():
    print(n)
# %% an async comprehension
[n * 2 async for n in numbers()]
# %% an async with
import contextlib
@contextlib.asynccontextmanager
async def opened():
    print('in')
    yield 'inside'
    print('out')
async with opened() as state:
    print(state)
# %% a task over cells
task = asyncio.create_task(asyncio.sleep(0, 'done'))
# %% is awaited later
await task
# %% a gather
await asyncio.gather(*(asyncio.sleep(0, n) for n in range(3)))
# %% a coroutine that is not awaited has a name
coroutine = asyncio.sleep(0)
name = coroutine.__name__
coroutine.close()
name
# %% a function sees names of later cells
def reads():
    return defined_later
# %% that come now
defined_later = 'later'
reads()
# %% a comprehension does not leak
inside = 'outside'
[inside for inside in range(3)]
inside
# %% a comprehension in a function of a cell sees cells' names
def uses():
    return [inside for _ in range(2)]
uses()
# %% a class body sees cells' names
class Body:
    seen = inside
Body.seen
# %% a global statement
def sets():
    global made_global
    made_global = 'set'
sets()
made_global
# %% the module's name
__name__
# %% a name is deleted
del inside
'inside' in globals()
# %% a match statement
match {'kind': 'point', 'at': [1, 2]}:
    case {'kind': 'point', 'at': [x, y]}:
        print(x, y)
# %% a decorator over cells
def doubled(function):
    return lambda *args: 2 * function(*args)
# %% applied
@doubled
def one():
    return 1
one()
# %% a star expression
first, *rest = range(5)
first, rest
# %% an exception's name is gone after its block
try:
    1 / 0
except ZeroDivisionError as gone:
    pass
'gone' in globals()
# %% a future statement
from __future__ import annotations
# %% stays in force
def annotated(a: undefined_name) -> also_undefined:
    pass
annotated.__annotations__
# %% and its function is shown with them
annotated
# %% annotated variables
annotated_number: int = 5
annotated_number
# %% getsource
import inspect
inspect.getsource(reads)
# %% getsource of a class
inspect.getsource(Body)
# %% pickle of a class of a cell
import pickle
class Kept:
    def __init__(self, a):
        self.a = a
pickle.loads(pickle.dumps(Kept(5))).a
# %% type hints
import typing
class Hinted:
    a: int
    b: typing.Optional[str]
typing.get_type_hints(Hinted)
# %% a unicode name
größe = 3
größe + 1
# %% a very long expression
1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1
# %% lines joined by a backslash
1 + \
    2
# %% a value in brackets over lines
(
    1,
    2,
)
# %% a code object of compile
eval(compile('6 * 7', 'named', 'eval'))
# %% locals are globals
locals() is globals()
# %% context variables persist
import contextvars
variable = contextvars.ContextVar('variable', default='unset')
token = variable.set('set')
# %% from cell to cell
variable.get()
# %% a type statement's like
Vector = list[float]
Vector
# %% a run of asyncio
def compute():
    return sum(range(10))
compute()
# %% a cell that is indented
    indented = 5
    indented
# %% a cell with prompts
>>> 1 + 1
# %% a question
len?
# %% a line magic
%precision
# %% a cell magic
%%capture
print('captured')
# %% get_ipython
get_ipython().__class__.__name__
