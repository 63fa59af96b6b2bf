# %% empty containers
[], (), {}, set(), frozenset(), ''
# %% a short list
[1, 'two', 3.0, None]
# %% a tuple of one
(1,)
# %% a list that fits 79 columns exactly
['a' * 73]
# %% a list of 79 columns in parts
[11111111, 22222222, 33333333, 44444444, 55555555, 66666666, 77777777, 88888888]
# %% a list of 80 columns in parts
[11111111, 22222222, 33333333, 44444444, 55555555, 66666666, 77777777, 888888888]
# %% a list of 78 columns in parts
[11111111, 22222222, 33333333, 44444444, 55555555, 66666666, 77777777, 8888888]
# %% a long list has an element on each line
list(range(40))
# %% a list beyond a thousand elements is cut
list(range(1003))
# %% a tuple beyond a thousand elements is cut
tuple(range(1001))
# %% exactly a thousand elements are shown
list(range(1000))
# %% a long tuple
tuple('abcdefghijklmnopqrstuvwxyz')
# %% a dict
{'a': 1, 'b': [1, 2], 3: None}
# %% a long dict has an entry on each line
{'key %d' % i: i * 1000 for i in range(12)}
# %% a dict beyond a thousand entries is cut
dict.fromkeys(range(1100), 'x')
# %% a dict keeps its order
{'b': 1, 'a': 2}
# %% a set is sorted
{5, 3, 1, 4}
# %% a set of strings is sorted
{'pear', 'apple', 'fig'}
# %% a set of what cannot be compared is sorted by text
{1, 'b', None, 2.5}
# %% a long set
set(range(100, 140))
# %% a frozenset
frozenset([3, 1, 2])
# %% a long frozenset
frozenset(range(100, 140))
# %% a set beyond a thousand elements is cut
set(range(1001))
# %% nested lists
[[1, 2], [3, [4, [5, [6]]]]]
# %% nested lists that wrap
[[i * 1111 for i in range(10)] for _ in range(3)]
# %% nested lists of which only the outer one wraps
[[i] * 5 for i in range(10)]
# %% a dict of dicts that wraps
{'first': {'name': 'Ada', 'born': 1815, 'fields': ['mathematics', 'computing']}, 'second': {'name': 'Grace', 'born': 1906}}
# %% a dict with a value that is too long for its line
{'short': 'x', 'text': 'y' * 90, 'list': ['z' * 30, 'z' * 30, 'z' * 30]}
# %% a dict with tuples as keys
{(1, 2): 'a', (3, 4): {'b': (5,)}}
# %% a dict with long keys and long values
{('key' * 8, 'part' * 6): ['value' * 5, 'value' * 5], ('other' * 8,): {'x' * 20: 'y' * 40}}
# %% rows as an interface gives them
[{'id': i, 'name': 'name %d' % i, 'tags': ['a', 'b'], 'score': i / 3} for i in range(4)]
# %% a nest that is deep
deep = []
for _ in range(50):
    deep = [deep]
deep
# %% a nest that is deep and wraps
wide = ['x' * 20]
for level in range(12):
    wide = [wide, 'level %d' % level]
wide
# %% a list that contains itself
recursive = [1]
recursive.append(recursive)
recursive
# %% a dict that contains itself
loop = {}
loop['self'] = loop
loop
# %% a tuple that contains itself
inner = []
circle = (inner,)
inner.append(circle)
circle
# %% the same list twice is no recursion
twice = [1, 2]
[twice, twice]
# %% strings with line ends in a list
['one\ntwo', 'three']
# %% long strings in a list
['word ' * 20, 'other ' * 20]
# %% wide characters in a list
['日本語' * 10, '日本語' * 10, 'é' * 20]
# %% the views of a dict
{'a': 1}.keys(), {'a': 1}.values(), {'a': 1}.items()
# %% long views of a dict
dict.fromkeys(range(100, 130)).keys()
# %% long values of a dict
dict(zip(range(30), range(1000, 1030))).values()
# %% long items of a dict
dict(zip(range(30), range(1000, 1030))).items()
# %% a subclass of list without a repr of its own
class Stack(list):
    pass
Stack([1, 2]), Stack(range(30))
# %% a subclass of list with a repr of its own
class Quiet(list):
    def __repr__(self):
        return '<quiet %d>' % len(self)
[Quiet([1, 2, 3]), Quiet()]
# %% subclasses of dict, set and tuple
class Bag(dict):
    pass
class Crowd(set):
    pass
class Pair(tuple):
    pass
[Bag(a=1), Crowd([2, 1]), Pair((1, 2)), Crowd(), Pair((1,))]
# %% a subclass of str and of int
class Word(str):
    pass
class Count(int):
    pass
[Word('w'), Count(3)]
# %% an array
import array
array.array('i', [1, 2, 3])
# %% a long array
array.array('d', [i / 7 for i in range(20)])
# %% booleans and None in a long list
[True, None, False] * 8
# %% a list of long floats
[1 / 3, 2 / 3, 22 / 7, 1e-300, 1e300, 0.1]
# %% a list of empty containers
[[], (), {}, set()] * 5
# %% tuples in a list that wraps
[(i, chr(97 + i), i ** 2) for i in range(12)]
# %% a matrix
[[1 if i == j else 0 for j in range(6)] for i in range(6)]
# %% bytes in a list
[b'x' * 30, b'y' * 30, bytearray(b'z' * 30)]
# %% empty subclasses
[Stack(), Bag(), Pair(), Crowd()], frozenset()
# %% a repr of several lines deep in lists
class Lines:
    def __repr__(self):
        return 'one\ntwo'
[1, [2, 3, Lines(), 'x' * 30, 'y' * 30, 'z' * 30], 4]
