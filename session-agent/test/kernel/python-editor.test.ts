import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';

const defined = `
import json, os
class Trap:
    """Runs code when it is looked at."""
    shown = 1
    @property
    def exits(self): raise SystemExit
    def method(self, count, by=2): "Counts."
    def __getattr__(self, name): raise SystemExit
    def __dir__(self): raise SystemExit
    def __repr__(self): raise SystemExit
trap = Trap(); trap.own = 3
def travel(place, /, by: int = 3, *stops, fare=None): "Goes there."
table = {'first key': 1, 'fine': 2}
números = [1, 2]`;

test.for([
  ['tra', 0, ['trap', 'travel']],
  ['x = 1\ny = tra', 10, ['trap', 'travel']],
  ['trap.', 5, ['exits', 'method', 'own', 'shown']],
  ['trap.m', 5, ['method']],
  ['json.dum', 5, ['dump', 'dumps']],
  ['os.path.joi', 8, ['join']],
  ['núm', 0, ['números']],
  ['travel("a", fa', 12, ['fare=']],
  ['trap.method(co', 12, ['count=']],
  ["table['fi", 7, ['fine', 'first key']],
  ['import jso', 7, ['json']],
  ['from json import load', 17, ['load', 'loads']],
  ['import concurrent.fu', 18, ['futures']],
  ['lam', 0, ['lambda']],
] as const)('completes %s', async ([code, start, texts]) => {
  await using open = await openKernel('python');
  await open.run(defined);
  const found = await open.complete(code);
  expect([found.start, found.end]).toEqual([start, [...code].length]);
  expect(found.matches.map(({ text }) => text)).toEqual(expect.arrayContaining([...texts]));
});

test.for(['"tra', '# tra', "'''\ntra", 'nowhere.', 'trap.exits.', '1.', ''])(
  'completes nothing in a string, in a comment, or if only running code could tell: %s',
  async (code) => {
    await using open = await openKernel('python');
    await open.run(defined);
    const names = (await open.complete(code)).matches.map(({ text }) => text);
    expect(names).not.toContain('method');
    // Without a prefix, every name in scope matches.
    expect(names.includes('trap')).toBe(code === '');
    expect((await open.run('trap.own')).shown).toBe('3');
  },
);

test('an answer has at most a thousand matches', async () => {
  await using open = await openKernel('python');
  await open.run("for n in range(3000): globals()['many%d' % n] = n");
  expect((await open.complete('many')).matches).toHaveLength(1000);
});

test.for([
  [
    'travel(',
    ['Signature: travel(place, /, by: int = 3, *stops, fare=None)', 'File: <step 1>', 'Docstring: Goes there.'],
  ],
  ['travel(1, ', ['Signature: travel(']],
  ['trap.method', ['Signature: method(count, by=2)', 'Docstring: Counts.']],
  ['trap', ['Type: Trap', 'Docstring: Runs code']],
  ['trap.exits', ['Type: property']],
  ['números', ['Type: list', 'Value: [1, 2]']],
  ['len', ['Signature: len(obj, /)']],
] as const)('inspects %s', async ([code, lines]) => {
  await using open = await openKernel('python');
  await open.run(defined);
  const { found, data } = await open.inspect(code);
  expect(found).toBe(true);
  for (const line of lines) expect(data['text/plain']).toContain(line);
});

test('finds nothing if the cursor is not at a known name', async () => {
  await using open = await openKernel('python');
  for (const code of ['', 'nowhere', '"len', 'a.b.c', '((('])
    expect(await open.inspect(code)).toEqual({ found: false, data: {} });
});

test('notes which step binds a name beside names that are not strings', async () => {
  await using open = await openKernel('python');
  const hostile = 'class Kind(type):\n    def __hash__(self): raise SystemExit\n';
  await open.run(`${hostile}class Key(metaclass=Kind): pass\nglobals()[Key()] = 1; globals()[2] = 3; a = 4`);
  const { stepId } = await open.run('b = 5');
  expect(await open.symbol('b')).toMatchObject({ stepId });
  expect(await open.symbol('a')).not.toMatchObject({ stepId });
});
