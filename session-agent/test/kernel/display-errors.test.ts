import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';

/** The lines of a traceback without the marks under them, which depend on the version of Python. */
const withoutMarks = (lines: string[] = []) => lines.filter((line) => !/^[\s|+]*[~^]+$/.test(line)).join('\n');

test('a group of errors shows each error with its own frames, and none of the kernel’s', async () => {
  await using open = await openKernel('python');
  const has = await open.run('import sys; sys.version_info >= (3, 11)');
  if (has.shown !== 'True') return;
  await open.run("class Bad:\n    def __repr__(self):\n        raise ValueError('no text')");
  const { error } = await open.run(`
import asyncio
found = []
for n in (1, 2):
    try:
        repr([Bad()])
    except ValueError as failure:
        found.append(failure)
async def failing():
    raise KeyError('awaited')
found += await asyncio.gather(failing(), return_exceptions=True)
raise ExceptionGroup('three', found)`);
  expect([error?.name, error?.message]).toEqual(['ExceptionGroup', 'three (3 sub-exceptions)']);
  const text = withoutMarks(error?.traceback);
  expect(text.match(/File "<step 2>", line 3, in __repr__/g)).toHaveLength(2);
  expect(text).toContain("KeyError: 'awaited'");
  expect(text).not.toContain('holdfast_kernel');
});

test('the causes of an error have no frames of the kernel, also after a display method failed', async () => {
  await using open = await openKernel('python');
  const { error } = await open.run(`
class Chained:
    def __repr__(self):
        try:
            1 / 0
        except ZeroDivisionError as inner:
            raise ValueError('no text') from inner
[Chained()]`);
  expect(withoutMarks(error?.traceback)).toBe(`Traceback (most recent call last):
  File "<step 1>", line 5, in __repr__
    1 / 0
ZeroDivisionError: division by zero

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "<step 1>", line 7, in __repr__
    raise ValueError('no text') from inner
ValueError: no text`);
});

test('the frames of an endless recursion are counted and not listed', async () => {
  await using open = await openKernel('python');
  const { error } = await open.run('def again(n):\n    return again(n + 1)\nagain(0)');
  expect(error?.name).toBe('RecursionError');
  expect(error?.traceback.join('\n')).toMatch(/\[Previous line repeated \d+ more times\]/);
  expect(error?.traceback.length).toBeLessThan(30);
});

test('notes come after the message', async () => {
  await using open = await openKernel('python');
  const { error } = await open.run(`
error = ValueError('noted')
error.__notes__ = ['one', 'two\\nlines']
raise error`);
  const noted = (await open.run('import sys; sys.version_info >= (3, 11)')).shown === 'True';
  expect(error?.traceback.slice(noted ? -4 : -1)).toEqual(
    noted ? ['ValueError: noted', 'one', 'two', 'lines'] : ['ValueError: noted'],
  );
});

test('an error that lies about its class, its name and its text is described by its real class and frames', async () => {
  await using open = await openKernel('python');
  const { error, end } = await open.run(`
class Meta(type):
    __name__ = property(lambda cls: 1 / 0)
class Text(str):
    def __getitem__(self, key): raise SystemExit
    def __str__(self): raise SystemExit
class Liar(Exception, metaclass=Meta):
    __class__ = property(lambda self: 1 / 0)
    __traceback__ = property(lambda self: 1 / 0)
    def __str__(self): return Text('from a subclass')
raise Liar('x')`);
  expect([end.status, error?.name, error?.message]).toEqual(['failed', 'Liar', 'from a subclass']);
  expect(error?.traceback.join('\n')).toContain('File "<step 1>", line 11');
  expect((await open.run('1 + 1')).shown).toBe('2');
});

test('an error whose text is huge or cannot be made fails its step and not the kernel', async () => {
  await using open = await openKernel('python');
  const mute = await open.run('class Mute(Exception):\n    def __str__(self): raise SystemExit(3)\nraise Mute');
  expect([mute.end.status, mute.error?.name, mute.error?.message]).toEqual([
    'failed',
    'Mute',
    '<the exception has no text: its __str__ fails>',
  ]);
  const huge = await open.run('raise ValueError("line\\n" * 5_000_000)');
  expect(huge.error?.message).toHaveLength(65_536);
  expect(huge.error?.traceback.length).toBeLessThan(1100);
  expect((await open.run('1 + 1')).shown).toBe('2');
});

test('a message is split into lines at line feeds only, as Python prints it', async () => {
  await using open = await openKernel('python');
  const { error } = await open.run('raise ValueError("a\\x0bb\\u2028c\\nd\\n")');
  expect(error?.traceback.slice(-3)).toEqual(['ValueError: a\x0bb\u2028c', 'd', '']);
});

test('an error is described although the code has broken imports, and the state stays', async () => {
  await using open = await openKernel('python');
  await open.run('import builtins\nkept = 1\ndef fails(*_, **__): raise ImportError\nbuiltins.__import__ = fails');
  const { end, error } = await open.run('1 / 0');
  expect([end.status, error?.name, error?.message]).toEqual(['failed', 'ZeroDivisionError', 'division by zero']);
  expect((await open.run('kept')).shown).toBe('1');
});
