import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { manifestOf, recoverState, saveState } from '../support/state.ts';

/** A value whose saving runs this code. */
const savedBy = (body: string) => `class H:
  def __reduce__(self):
    import os, signal, time
    ${body}
    return (int, ())
bad = H()`;

/** Saves `kept` and `bad`, and says how the context is afterwards and what comes back. */
async function savedWith(code: string) {
  await using kernel = await openKernel('python');
  await kernel.run('kept = [1]; also = kept');
  expect((await kernel.run(code)).error).toBeUndefined();
  const archive = await saveState(kernel.kernel, { timeoutMs: 6000 });
  const { shown: goesOn } = await kernel.run('kept is also');
  await using after = await openKernel('python');
  const { lost } = await recoverState(after.kernel, { archive });
  const { shown: cameBack } = await after.run('kept is also');
  const { notSaved, saved } = manifestOf(archive);
  return { goesOn, cameBack, notSaved, lost, saved: saved.map(({ name }) => name) };
}

test.each([
  ['ends its process', 'os._exit(0)', 'saving it ended its process'],
  ['kills its process', 'os.kill(os.getpid(), signal.SIGSEGV)', 'saving it ended its process with signal 11'],
  ['kills its process group', 'os.killpg(0, signal.SIGKILL)', 'saving it ended its process with signal 9'],
  ['hangs', 'time.sleep(1000)', 'saving it took longer than'],
  ['hangs in one instruction', 'sum(range(10 ** 12))', 'saving it took longer than'],
])('a value that %s while it is saved loses only itself', async (_, body, reason) => {
  const { notSaved, ...seen } = await savedWith(savedBy(body));
  expect(seen).toMatchObject({ goesOn: 'True', cameBack: 'True', saved: ['kept', 'also', 'H'] });
  expect(notSaved).toMatchObject([{ name: 'bad', reason: expect.stringContaining(reason) }]);
  expect(seen.lost).toEqual(notSaved);
});

test('two values that end the process lose only themselves', async () => {
  const { notSaved, cameBack } = await savedWith(`${savedBy('os._exit(0)')}; worse = H()`);
  expect([notSaved.map(({ name }) => name), cameBack]).toEqual([['bad', 'worse'], 'True']);
});

test.each([
  ['forks a process that stays', 'if os.fork() == 0: time.sleep(1000)'],
  ['forks a process that goes on with the snapshot', 'os.fork()'],
])('a value that %s is saved once, and holds nothing up', async (_, body) => {
  const { notSaved, lost, cameBack, saved } = await savedWith(savedBy(body));
  expect({ notSaved, lost, cameBack }).toEqual({ notSaved: [], lost: [], cameBack: 'True' });
  expect(saved).toEqual(['kept', 'also', 'H', 'bad']);
});

test.each([
  [
    'an error that cannot be shown',
    savedBy('class E(Exception):\n      def __str__(self): raise SystemExit\n    raise E()'),
  ],
  ['an error of many characters beyond the basic plane', savedBy('raise ValueError("\\U0001f600" * 1000)')],
  ['a long name', 'globals()["n" * 2 ** 20] = 1'],
  ['a long name beyond the basic plane', 'globals()["\\U0001f600" * 400] = 1'],
])('%s loses only one name', async (_, code) => {
  const { notSaved, lost, cameBack } = await savedWith(code);
  expect([notSaved.length, lost.length, cameBack]).toEqual([1, 1, 'True']);
  for (const { name, reason } of lost) expect(Math.max(name.length, reason.length)).toBeLessThanOrEqual(512);
});

test('ten thousand names are saved in time', async () => {
  const { notSaved, saved } = await savedWith('for i in range(10_000): globals()[f"v{i}"] = i');
  expect([notSaved, saved.length]).toEqual([[], 10_000]);
});

test('names for which the lists have no room are counted', async () => {
  await using kernel = await openKernel('python');
  await kernel.run('for i in range(10_003): globals()[f"g{i}"] = (i for i in ())');
  const archive = await saveState(kernel.kernel);
  const { notSaved, omitted } = manifestOf(archive);
  const rest = { name: '*', reason: '4 further names, for which the list has no room' };
  expect([notSaved.length, notSaved.at(-1), omitted]).toEqual([10_000, rest, 4]);
  await using after = await openKernel('python');
  const { lost } = await recoverState(after.kernel, { archive });
  expect([lost.length, lost.at(-1)]).toEqual([10_000, rest]);
}, 60_000);

test('a value that code made ignore the end of children is saved', async () => {
  const { notSaved, cameBack } = await savedWith('import signal; _ = signal.signal(signal.SIGCHLD, signal.SIG_IGN)');
  expect([notSaved, cameBack]).toEqual([[], 'True']);
});

test.each([
  ['ends each forked process', 'import os; os.register_at_fork(after_in_child=lambda: os._exit(3))'],
  ['has its own fork', 'import os\ndef never(): raise OSError("no")\nos.fork = never'],
])('a state is saved although code %s', async (_, code) => {
  const { notSaved, ...seen } = await savedWith(code);
  expect(seen).toMatchObject({ goesOn: 'True', cameBack: 'True', saved: expect.arrayContaining(['kept', 'also']) });
  expect(notSaved.filter(({ name }) => ['kept', 'also'].includes(name))).toEqual([]);
});

test.each([
  ['import builtins; builtins.open = None', ['builtins.open']],
  ['import pickle; pickle.dumps = pickle.Pickler = None', ['pickle.Pickler', 'pickle.dumps']],
  ['import json; json.dumps = json.JSONEncoder = None', ['json.JSONEncoder', 'json.dumps']],
  ['import io, os, time\nos.open = os.getcwd = io.BytesIO = None', ['io.BytesIO', 'os.getcwd', 'os.open']],
  ['import time; time.monotonic = lambda: 0', ['time.monotonic']],
])('a state is saved although code ran %j, which a snapshot needs', async (code, changed) => {
  const { notSaved, cameBack } = await savedWith(code);
  expect(notSaved.map(({ name }) => name.replace('posix.', 'os.')).sort()).toEqual(changed);
  expect(cameBack).toBe('True');
});

test.each([
  [
    'in the kernel',
    'import random; setattr(random, "get" + "state", None)',
    "TypeError: 'NoneType' object is not callable",
  ],
  ['in its child', 'import mmap; setattr(mmap, "mm" + "ap", None)', "TypeError: 'NoneType' object is not callable"],
  ['in an attempt', 'import os; setattr(os, "setp" + "gid", None)', "TypeError: 'NoneType' object is not callable"],
])('a snapshot that fails %s says why for each name', async (_, code, cause) => {
  await using kernel = await openKernel('python');
  await kernel.run('kept = [1]');
  expect((await kernel.run(code)).error).toBeUndefined();
  const { saved, notSaved } = manifestOf(await saveState(kernel.kernel));
  expect(saved).toEqual([]);
  expect(notSaved).toContainEqual({ name: 'kept', reason: expect.stringContaining(`the snapshot failed: ${cause}`) });
  expect((await kernel.run('kept')).shown).toBe('[1]');
});

test('hooks of forks run in the forks of the code alone', async () => {
  await using kernel = await openKernel('python');
  await kernel.run('import os; seen = []\nos.register_at_fork(before=lambda: seen.append(1))');
  await saveState(kernel.kernel);
  expect((await kernel.run('seen')).shown).toBe('[]');
  await kernel.run('pid = os.fork()\nif not pid: os._exit(0)\n_ = os.waitpid(pid, 0)');
  expect((await kernel.run('seen')).shown).toBe('[1]');
});
