import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommMessage } from '@holdfast/specs/public';
import { describe, expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { pythonWithPackages } from '../support/python-with-packages.ts';
import { eventsOfStep } from '../support/step-events.ts';
import { until } from '../support/until.ts';

const { python, missing } = await pythonWithPackages('widgets');
const open = () => openKernel('python', { config: { python } });
const message: CommMessage = { commId: 'one', kind: 'message', targetName: null, data: {}, metadata: {}, buffers: [] };
const opening: CommMessage = { ...message, kind: 'open', targetName: 'echo' };

const registerEcho = `
import comm
def echo(opened, opening):
    opened.on_msg(lambda m: opened.send(m['content']['data'], buffers=[bytes(part)[::-1] for part in m['buffers']]))
    opened.on_close(lambda m: print('closed', m['content']['data']))
comm.get_comm_manager().register_target('echo', echo)`;

describe.skipIf(missing)(`comms of Python${missing ? `: ${missing}` : ''}`, () => {
  test('opens, uses and closes a comm of its own', async () => {
    await using kernel = await open();
    const { comms, end } = await kernel.run(`
import comm
own = comm.create_comm(target_name='mine', data={'n': 1}, metadata={'version': '2'})
own.send({'n': 2}, buffers=[b'\\x00\\xff', memoryview(b'ab')])
own.close({'n': 3})`);
    expect(end.status).toBe('succeeded');
    const { commId } = comms[0] as CommMessage;
    expect(comms).toEqual([
      { commId, kind: 'open', targetName: 'mine', data: { n: 1 }, metadata: { version: '2' }, buffers: [] },
      { commId, kind: 'message', targetName: null, data: { n: 2 }, metadata: {}, buffers: ['AP8=', 'YWI='] },
      { commId, kind: 'close', targetName: null, data: { n: 3 }, metadata: {}, buffers: [] },
    ]);
  });

  test('passes a message with its buffers to the handlers, and their answer back', async () => {
    await using kernel = await open();
    await kernel.run(registerEcho);
    await kernel.run('', undefined, { comm: opening });
    const asked = { ...message, data: { text: 'é😀', deep: [{ a: null }] }, buffers: ['AAEC'] };
    const { comms, end } = await kernel.run('', undefined, { comm: asked });
    expect([end.status, comms]).toEqual(['succeeded', [{ ...asked, buffers: ['AgEA'] }]]);
    const closing = { ...message, kind: 'close', data: { why: 'done' } } as const;
    expect((await kernel.run('', undefined, { comm: closing })).stdout).toBe("closed {'why': 'done'}\n");
    const late = await kernel.run('', undefined, { comm: message });
    expect(late).toMatchObject({ end: { status: 'failed' }, error: { message: 'no comm has the id one' } });
  });

  test('fails the step and closes the comm if no target has the name', async () => {
    await using kernel = await open();
    const { end, comms, error } = await kernel.run('', undefined, { comm: opening });
    expect([end.status, error?.message]).toEqual(['failed', 'no comm target has the name echo']);
    expect(comms).toMatchObject([{ commId: 'one', kind: 'close' }]);
  });

  test('runs handlers as steps: they print, show, fail and are interrupted as code is', async () => {
    await using kernel = await open();
    await kernel.run(`
import comm
def handle(m):
    global state
    state = m['content']['data']
    print('handling')
    display(state)
    if 'loop' in state:
        print('looping', flush=True)
        while True: pass
    1 / state['by']
comm.get_comm_manager().register_target('echo', lambda opened, opening: opened.on_msg(handle))`);
    await kernel.run('', undefined, { comm: opening });
    const failed = await kernel.run('', undefined, { comm: { ...message, data: { by: 0 } } });
    expect([failed.stdout, failed.results[0]?.data['text/plain']]).toEqual(['handling\n', "{'by': 0}"]);
    expect(failed.error).toMatchObject({ name: 'ZeroDivisionError' });
    expect(failed.error?.traceback.join('\n')).toContain("1 / state['by']");
    const stopped = await kernel.run('', (text) => text.includes('looping') && kernel.kernel.interrupt(), {
      comm: { ...message, data: { loop: true } },
    });
    expect(stopped.end.status).toBe('interrupted');
    expect((await kernel.run('state')).shown).toBe("{'loop': True}");
  });

  test('handlers find the event loop of earlier steps running, and their tasks go on', async () => {
    await using kernel = await open();
    await kernel.run(`
import asyncio, comm
async def work(opened):
    await asyncio.sleep(0.05)
    opened.send({'done': True})
comm.get_comm_manager().register_target('echo', lambda opened, opening: asyncio.ensure_future(work(opened)))`);
    const { end, stepId } = await kernel.run('', undefined, { comm: opening });
    expect(end.status).toBe('succeeded');
    await until('the message of the task', () => kernel.backgroundComms.length > 0);
    expect(kernel.backgroundComms).toMatchObject([{ message: { commId: 'one', data: { done: true } }, stepId }]);
  });

  test('gives a message of a thread to the background of its own step', async () => {
    await using kernel = await open();
    const { stepId, comms } = await kernel.run(`
import comm, threading
own = comm.create_comm(target_name='mine')
go = threading.Event()
def work():
    go.wait()
    own.send({'late': True})
thread = threading.Thread(target=work)
thread.start()`);
    expect(comms.map(({ kind }) => kind)).toEqual(['open']);
    const during = await kernel.run('go.set(); thread.join()');
    expect(during.comms).toEqual([]);
    await until('the message of the thread', () => kernel.backgroundComms.length > 0);
    expect(kernel.backgroundComms).toMatchObject([{ message: { data: { late: true } }, stepId }]);
  });

  test('keep their order among printed text, values and errors', async () => {
    await using kernel = await open();
    const { events, end } = await eventsOfStep(
      kernel.kernel,
      `
import comm, sys
own = comm.create_comm(target_name="view")
for n in range(200):
    print(n, end="")
    own.send({"n": n})
    print(n, end="", file=sys.stderr)
    display({"text/plain": str(n)}, raw=True)`,
    );
    expect(end.status).toBe('succeeded');
    const expected = Array.from({ length: 200 }, (_, n) => [
      { type: 'stdout', text: `${n}` },
      { type: 'comm', data: { n } },
      { type: 'stderr', text: `${n}` },
      { type: 'result', data: { 'text/plain': `${n}` } },
    ]);
    expect(events).toMatchObject([{ type: 'comm', kind: 'open' }, ...expected.flat()]);
  });

  test("replaces values that JSON cannot hold as Jupyter's client does", async () => {
    await using kernel = await open();
    const { comms } = await kernel.run(`
import comm, datetime, pathlib
comm.create_comm(target_name='t', data={
    'tuple': (1, 2), 'set': {3}, 'nan': float('nan'), 'bytes': b'ab', 'bool': True,
    'day': datetime.date(2020, 1, 2), 'path': pathlib.Path('/a'), 'range': range(2), 5: None})`);
    expect(comms[0]?.data).toEqual({
      tuple: [1, 2],
      set: [3],
      nan: 'nan',
      bytes: 'YWI=',
      bool: true,
      day: '2020-01-02',
      path: '/a',
      range: [0, 1],
      5: null,
    });
    const refused = await kernel.run("comm.create_comm(target_name='t', data={'x': object()})");
    expect(refused.error).toMatchObject({ name: 'TypeError' });
  });

  test('leaves out a message that is too large, says so, and goes on', async () => {
    await using kernel = await open();
    const { comms, stderr, stdout } = await kernel.run(`
import comm
own = comm.create_comm(target_name='t', buffers=[b'x' * 8_000_000])
own.send({'small': True})
print('on')`);
    expect(comms).toMatchObject([{ kind: 'message', data: { small: true } }]);
    expect(stderr).toMatch(/a comm message of \d+ bytes is too large to be sent/);
    expect(stdout).toBe('on\n');
  });

  test('a forked child sends nothing', async () => {
    await using kernel = await open();
    const { comms, end } = await kernel.run(`
import comm, os
own = comm.create_comm(target_name='t')
if os.fork() == 0:
    own.send({'from': 'child'})
    os._exit(0)
os.wait()
own.send({'from': 'parent'})`);
    expect(end.status).toBe('succeeded');
    expect(comms.map(({ data }) => data)).toEqual([{}, { from: 'parent' }]);
  });
});

test('a step that imports no comms loads none', async () => {
  await using kernel = await openKernel('python');
  expect((await kernel.run("import sys; [name for name in sys.modules if 'comm' in name.split('.')]")).shown).toBe(
    '[]',
  );
});

test("a module of the user's own that is named comm can be imported", async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  writeFileSync(join(cwd, 'comm.py'), 'mine = 1');
  await using kernel = await openKernel('python', { cwd });
  expect((await kernel.run('import comm; comm.mine')).shown).toBe('1');
  const { error } = await kernel.run('', undefined, { comm: message });
  expect(error?.message).toBe('no comm has the id one');
  rmSync(cwd, { recursive: true });
});

test('a message for a comm that no code has opened fails its step, and the kernel goes on', async () => {
  await using kernel = await openKernel('python');
  const { end, error } = await kernel.run('', undefined, { comm: message });
  expect([end.status, error?.message]).toEqual(['failed', 'no comm has the id one']);
  expect((await kernel.run('1 + 1')).shown).toBe('2');
});
