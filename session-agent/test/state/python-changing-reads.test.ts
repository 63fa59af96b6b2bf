import { expect, test } from 'vitest';
import { recoveredAfter } from '../support/recovered-after.ts';

const iterator = 'it = iter([1, 2, 3])';
const table = 'from collections import defaultdict\nd = defaultdict(list); e = {"d": d}';
const found = 'l = [3, 1]; found = []';

test.each([
  [table, 'print(d["a"])', ['d', 'e']],
  [table, 'd["a"]', ['d', 'e']],
  [table, 'print(f"{e[\'d\'][1]}")', ['d', 'e']],
  [table, '[k["a"] for k in e.values()]', ['d', 'e']],
  [table, '"%(a)s" % d', ['d', 'e']],
  [table, '"{a}".format_map(d)', ['d', 'e']],
  [iterator, 'print(sum(it))', ['it']],
  [iterator, 'sorted(it)', ['it']],
  [iterator, '2 in it', ['it']],
  [iterator, 'list(zip(it, "ab"))', ['it']],
  [iterator, 'a, *b = it', ['a', 'b', 'it']],
  [iterator, '[*it]', ['it']],
  ['its = [iter("ab")]', '"".join(its[0])', ['its']],
  ['m = map(str, [1, 2])', 'max(m)', ['m']],
  ['import csv; rows = csv.reader(["a", "b"])', 'print(list(rows))', expect.arrayContaining(['rows'])],
  ['from unittest import mock; m = mock.Mock()', 'print(m.part)', ['m']],
  ['class D(dict):\n  def __missing__(self, k): self[k] = 1; return 1\nd = D()', 'd["a"]', ['d']],
  [found, 'min(l, key=lambda k: found.append(k) or k)', ['found', 'l']],
  [`${found}\ndef note(k): found.append(k); return k`, 'max(l, key=note)', ['found', 'l']],
  [`${found}; note = {}.setdefault; table = note.__self__`, 'max(l, key=note)', ['l', 'note', 'table']],
  ['l = [[3], [1]]; from heapq import heappop', 'max(l, key=heappop)', ['l']],
  ['its = [iter([1])]', 'max(its, key=next)', ['its']],
])('after %j, a step that ran %j loses %j', async (before, later, lost) => {
  const { kernel, lost: seen } = await recoveredAfter(before, later);
  await using _kernel = kernel;
  expect(seen).toEqual(lost);
});

test('a step that makes an object loses none of the classes of libraries that this uses', async () => {
  const before =
    'from collections import deque\nfrom pathlib import Path\nclass Q:\n  def __init__(self): self.p = Path("."); self.d = deque()';
  const { kernel, lost } = await recoveredAfter(before, 'q = Q()');
  await using _kernel = kernel;
  expect(lost).toEqual(['q']);
  expect((await kernel.run('(Q().p, Path("a"))')).error).toBeUndefined();
});

test('reading values of plain types loses nothing', async () => {
  const before = [
    'from collections import Counter, OrderedDict, deque, namedtuple',
    'import math, re, datetime, decimal',
    'l = [1, [2]]; d = {"a": l}; t = (1, l); s = {1}; c = Counter("ab"); o = OrderedDict(a=1); q = deque(l); b = bytearray(b"a")',
    'date = datetime.date(2020, 1, 1); number = decimal.Decimal(1); pattern = re.compile("a"); big = list(range(100_000))',
  ].join('\n');
  const later = [
    'print(l[1][0], d["a"], t[1], c["z"], o["a"], q[0], b[0], date.year, number + 1, pattern.pattern)',
    '[k for k in (l, d, t, s, c, o, q)]',
    'sorted(l, key=str); max(c, key=len); d.get("q"); f"{d[\'a\']} {c[1]}"; print(len(big), sum(big))',
  ];
  const { kernel, lost } = await recoveredAfter(before, ...later);
  await using _kernel = kernel;
  expect(lost).toEqual([]);
});
