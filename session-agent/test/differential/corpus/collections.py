# %% a named tuple
import collections
Point = collections.namedtuple('Point', 'x y')
Point(1, 2)
# %% a long named tuple is one line
Wide = collections.namedtuple('Wide', ['field%d' % i for i in range(12)])
Wide(*range(12))
# %% named tuples in a list
[Point(i, i * 1.5) for i in range(6)]
# %% a typed named tuple
import typing
class Person(typing.NamedTuple):
    name: str
    age: int = 3
Person('Ada')
# %% a counter
collections.Counter('mississippi')
# %% an empty counter
collections.Counter()
# %% a long counter
collections.Counter('the quick brown fox jumps over the lazy dog and runs away')
# %% an ordered dict
collections.OrderedDict([('a', 1), ('b', 2)])
# %% an empty ordered dict
collections.OrderedDict()
# %% a long ordered dict
collections.OrderedDict(('key %d' % i, i) for i in range(10))
# %% a default dict
groups = collections.defaultdict(list)
groups['a'].append(1)
groups
# %% a default dict of a lambda's values
collections.defaultdict(int, {'a': 1, 'b': 2})
# %% a long default dict
collections.defaultdict(list, {'key %d' % i: [i] * 3 for i in range(8)})
# %% a default dict that contains itself
circle = collections.defaultdict(list)
circle['me'] = circle
circle
# %% a deque
collections.deque([1, 2, 3])
# %% a bounded deque
collections.deque([1, 2, 3], maxlen=5)
# %% a long deque
collections.deque(range(40))
# %% a deque that contains itself
ring = collections.deque([1])
ring.append(ring)
ring
# %% a chain of maps
collections.ChainMap({'a': 1}, {'b': 2})
# %% user containers
[collections.UserDict(a=1), collections.UserList([1, 2]), collections.UserString('s')]
# %% a mapping proxy
import types
types.MappingProxyType({'a': 1})
# %% a long mapping proxy
types.MappingProxyType({'key %d' % i: i for i in range(10)})
# %% a simple namespace
types.SimpleNamespace(a=1, b='two')
# %% a long simple namespace
types.SimpleNamespace(**{'name%d' % i: 'value %d' % i for i in range(8)})
# %% a namespace that contains itself
space = types.SimpleNamespace(a=1)
space.me = space
space
# %% a dataclass
import dataclasses
@dataclasses.dataclass
class Item:
    name: str
    price: float = 0.0
    tags: list = dataclasses.field(default_factory=list)
Item('nail')
# %% a long dataclass is one line
Item('a long name ' * 4, 12.5, ['tag %d' % i for i in range(5)])
# %% dataclasses in a list
[Item('a', 1.0), Item('b', 2.0, ['x']), Item('c')]
# %% a dataclass that contains itself
looped = Item('loop')
looped.tags.append(looped)
looped
# %% a frozen dataclass in a set
@dataclasses.dataclass(frozen=True, order=True)
class Key:
    number: int
{Key(2), Key(1)}
# %% a counter as a value
{'letters': collections.Counter('aab'), 'pairs': collections.OrderedDict(a=1)}
# %% a subclass of a counter and of an ordered dict
class Votes(collections.Counter):
    pass
class Menu(collections.OrderedDict):
    pass
[Votes('aab'), Menu(soup=1)]
# %% a subclass of a default dict
class Groups(collections.defaultdict):
    pass
Groups(int, a=1)
# %% the environment has a name of its own
import os
saved = dict(os.environ)
os.environ.clear()
os.environ['ONLY'] = 'one'
shown = str(type(os.environ).__name__)
os.environ
# %% the environment again
os.environ.update(saved)
shown
