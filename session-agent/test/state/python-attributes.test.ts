import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { recoveredAfter } from '../support/recovered-after.ts';

test.each([
  [
    'of objects that pass on what they are asked',
    `class Proxy:
  def __init__(self, inner): self._inner = inner
  def __getattr__(self, name): return getattr(self._inner, name)
class Any:
  def __init__(self): self.items = [1]
  def __getattr__(self, name): return lambda *a: None
class Keys(dict): __getattr__ = dict.__getitem__
class Raising:
  __slots__ = ('a', 'b')
  def __init__(self): self.a = 1
  def __getattr__(self, name): raise KeyError(name)
proxy = Proxy(Proxy([3, 4])); pair = Proxy((1, 2)); one = Any(); keys = Keys(x=[5]); raising = Raising()`,
    'proxy.index(4), pair.count(1), one.items, one.other(), keys.x, raising.a',
    '(1, 1, [1], None, [5], 1)',
  ],
  [
    'that cannot be set',
    `class Frozen:
  __slots__ = ('n',)
  def __init__(self, n): object.__setattr__(self, 'n', n)
  def __setattr__(self, name, value): raise TypeError('frozen')
frozen = Frozen([1])`,
    'frozen.n',
    '[1]',
  ],
  [
    'of classes that extend those of libraries',
    `import decimal, pathlib, random
class Dice(random.Random):
  def __init__(self, seed): super().__init__(seed); self.drawn = 0
  def random(self): self.drawn += 1; return super().random()
class Price(decimal.Decimal): __slots__ = ('unit',)
class Place(pathlib.PurePosixPath): pass
dice = Dice(5); _ = dice.random(); dice.label = 'd'; price = Price('1.5'); price.unit = 'EUR'; place = Place('/a'); place.tag = [1]
expected = random.Random(5); _ = expected.random()`,
    'dice.drawn, dice.label, dice.random() == expected.random(), price.unit, price == decimal.Decimal("1.5"), str(place), place.tag',
    "(1, 'd', True, 'EUR', True, '/a', [1])",
  ],
  [
    'in slots of errors',
    `class Bad(Exception):
  __slots__ = ('code', 'other')
  def __init__(self, text, code): super().__init__(text); self.code = code
class Worse(Bad): pass
bad = Bad('b', 5); worse = Worse('w', 6); worse.label = 'l'
try: raise worse from bad
except Worse: pass`,
    'bad.code, worse.code, worse.label, worse.args, worse.__cause__ is bad, worse.__traceback__ is None, hasattr(bad, "other")',
    "(5, 6, 'l', ('w',), True, False, False)",
  ],
  [
    'of mocks that were called',
    `from unittest import mock
one = mock.Mock(); one(1, a=2); one.go(3); both = mock.MagicMock(); both[3]; both.__len__.return_value = 4; seen = one.call_args`,
    'one.assert_called_once_with(1, a=2), one.go.mock_calls == [mock.call(3)], len(both), both.mock_calls[0], seen.kwargs, seen == one.call_args',
    "(None, True, 4, call.__getitem__(3), {'a': 2}, True)",
  ],
  [
    'of classes that repeat those of their bases',
    `class A: _x = 1; "a text"
A.__doc__ = 'later'
class B(A): _x = 1
B.__doc__ = A.__doc__
A.__repr__ = lambda self: 'r'
B.__repr__ = A.__repr__`,
    'A._x = 5; A.__doc__ = A.__repr__ = None; B._x, B.__doc__, repr(B())',
    "(1, 'later', 'r')",
  ],
  [
    'of type variables',
    `import typing
T = typing.TypeVar('T', bound=int); P = typing.ParamSpec('P') if hasattr(typing, 'ParamSpec') else T
class A(typing.Generic[T]): pass`,
    'T.__module__, T.__bound__ is int, P.__module__, A.__parameters__[0] is T',
    "('__main__', True, '__main__', True)",
  ],
])('brings back attributes %s', async (_title, before, check, shown) => {
  const { kernel, lost } = await recoveredAfter(before);
  await using _kernel = kernel;
  expect(lost).toEqual([]);
  expect((await kernel.run(check)).shown).toBe(shown);
});

test('type parameters of functions and classes stay, if this Python has them', async () => {
  await using probe = await openKernel('python');
  const { shown } = await probe.run('import sys; sys.version_info >= (3, 12)');
  const code = 'exec("class A[T]: pass\\ntype L[T] = list[T]\\ndef f[T: int](x: T): return x")';
  const { kernel, lost } = await recoveredAfter(shown === 'True' ? code : 'n = 1');
  await using _kernel = kernel;
  expect(lost).toEqual([]);
  const check = 'A.__type_params__, L.__module__, f.__type_params__[0].__bound__.__name__';
  const { shown: found } = await kernel.run(shown === 'True' ? check : 'n');
  expect(found).toBe(shown === 'True' ? "((T,), '__main__', 'int')" : '1');
});
