# %% an object without a repr
class Plain:
    pass
Plain()
# %% objects without a repr in a list
[Plain(), Plain(), Plain()]
# %% a class
Plain
# %% a nested class and its instance
class Outer:
    class Inner:
        pass
[Outer.Inner, Outer.Inner()]
# %% builtin classes
[int, dict, Exception, object, type]
# %% a class of a library
import decimal
import collections
[decimal.Decimal, collections.Counter]
# %% an object with a repr
class Shown:
    def __repr__(self):
        return 'Shown(%d)' % 5
Shown()
# %% a repr of several lines
class Lines:
    def __repr__(self):
        return 'first\n  second\nthird'
Lines()
# %% a repr of several lines in a list
[Lines(), Lines()]
# %% a repr of several lines in a dict
{'key': Lines(), 'other': [Lines()]}
# %% a repr that ends in a line end
class Ended:
    def __repr__(self):
        return 'ended\n'
Ended()
# %% an empty repr
class Empty:
    def __repr__(self):
        return ''
Empty()
# %% a str and no repr
class Told:
    def __str__(self):
        return 'told'
repr(Told())[:16], str(Told())
# %% an inherited repr
class Child(Shown):
    pass
Child()
# %% a metaclass with a repr
class Meta(type):
    def __repr__(cls):
        return 'a class named ' + cls.__name__
class Made(metaclass=Meta):
    pass
[Made, Made()]
# %% a function
def add(a, b: int = 1, *rest, key=None, **more) -> int:
    return a + b
add
# %% functions in a list
[add, add, len]
# %% a function without parameters
def none():
    pass
none
# %% a lambda
lambda x, y=2: x
# %% an inner function
def outer():
    def inner(a):
        return a
    return inner
outer()
# %% an async function
async def later(n):
    return n
later
# %% a generator function and its generator
def count(n):
    yield from range(n)
[count, count(3)]
# %% a generator expression
(x for x in [1])
# %% builtin functions
[len, print, sum, sorted]
# %% a function of a library
import os.path
import math
[os.path.join, math.sqrt]
# %% a bound method
class Account:
    def pay(self, amount=1):
        return amount
    @classmethod
    def open(cls):
        return cls()
    @staticmethod
    def rate():
        return 1
    @property
    def total(self):
        return 5
    def __repr__(self):
        return '<account>'
Account().pay
# %% a function of a class
Account.pay
# %% a class method and a static method
[Account.open, Account.rate]
# %% a property
Account.total
# %% a builtin method
[].append
# %% methods of types
[str.upper, list.append, dict.fromkeys]
# %% a slot wrapper
int.__add__
# %% a partial
import functools
functools.partial(int, base=2)
# %% a partial of a function of a cell
functools.partial(add, 1, key='k')
# %% a cached function
@functools.lru_cache(maxsize=None)
def cached(n):
    return n
cached
# %% a decorated function keeps its name
def decorate(function):
    @functools.wraps(function)
    def inside(*args):
        return function(*args)
    return inside
@decorate
def named(a):
    return a
named
# %% a super object
class Base:
    pass
class Derived(Base):
    def above(self):
        return super()
Derived().above()
# %% an exception as a value
ValueError('wrong', 5)
# %% an exception without arguments
KeyError()
# %% an exception of a cell
class OwnError(Exception):
    pass
OwnError('text')
# %% exceptions in a list
[ValueError('x' * 40), TypeError('y' * 40)]
# %% a repr pretty method
class Pretty:
    def __init__(self, *parts):
        self.parts = parts
    def _repr_pretty_(self, p, cycle):
        if cycle:
            p.text('Pretty(...)')
        else:
            with p.group(7, 'Pretty(', ')'):
                for index, part in enumerate(self.parts):
                    if index:
                        p.text(',')
                        p.breakable()
                    p.pretty(part)
Pretty(1, 'two', [3])
# %% a repr pretty method that wraps
Pretty(*['part %d' % i for i in range(12)])
# %% repr pretty methods nested
Pretty(Pretty(1), [Pretty(2)], {'a': Pretty()})
# %% a repr pretty method that meets itself
met = Pretty()
met.parts = (met,)
met
# %% a repr pretty method with break and indent
class Block:
    def _repr_pretty_(self, p, cycle):
        p.text('Block:')
        with p.indent(4):
            p.break_()
            p.text('first')
            p.break_()
            p.pretty({'a': 1})
        p.break_()
        p.text('end')
Block()
# %% a repr pretty method with groups opened by hand
class Tree:
    def __init__(self, name, *children):
        self.name, self.children = name, children
    def _repr_pretty_(self, p, cycle):
        p.begin_group(2, self.name + '<')
        for child in self.children:
            p.breakable('')
            p.pretty(child)
        p.end_group(2, '>')
Tree('root', Tree('left' * 8, Tree('leaf' * 5), Tree('leaf' * 6)), Tree('right' * 8))
# %% a repr pretty method in a list of them
[Tree('node' * 6), Tree('node' * 7), Tree('node' * 8)]
# %% a repr pretty method goes before a repr
class Both:
    def __repr__(self):
        return 'repr'
    def _repr_pretty_(self, p, cycle):
        p.text('pretty')
Both(), [Both()]
# %% a child's repr goes before a parent's repr pretty method
class Nearer(Both):
    def __repr__(self):
        return 'nearer'
Nearer()
# %% an object that answers to any name
class Any:
    def __getattr__(self, name):
        return lambda *args, **more: 'anything'
    def __repr__(self):
        return '<any>'
Any()
# %% a mock
from unittest import mock
type(mock.MagicMock()), repr(mock.MagicMock(name='m'))[:19]
# %% a weak reference and a cell's code
import weakref
[weakref.ref(add), add.__code__]
# %% slots
class Slotted:
    __slots__ = ('a',)
Slotted()
# %% an object whose class lies
class Liar:
    @property
    def __class__(self):
        return int
Liar()
# %% an open file
import io
io.StringIO('x')
# %% a thread that has not begun
import threading
threading.Thread(target=print, name='worker')
# %% a lock
threading.Lock()
