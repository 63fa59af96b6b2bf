import type { CommMessage } from '@holdfast/specs/public';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { all, type ReadFrame, readTo, report } from '../support/agent-client.ts';
import { pythonWithPackages } from '../support/python-with-packages.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';

const { python, missing } = await pythonWithPackages('widgets');
const message: CommMessage = { commId: 'one', kind: 'message', targetName: null, data: {}, metadata: {}, buffers: [] };
const commsOf = (frames: ReadFrame[]) => frames.filter(({ type }) => type === 'comm').map(({ json }) => json);

describe.skipIf(missing)(`comm messages${missing ? `: ${missing}` : ''}`, () => {
  let agent: AgentUnderTest;
  beforeAll(async () => {
    agent = await startAgent({ HOLDFAST_PYTHON: python });
    await agent.run({
      code: `
import comm, threading, time
def handle(m):
    data = m['content']['data']
    print('handled', data)
    if 'wait' in data: time.sleep(30)
    opened.send(data, buffers=[b'x' * data.get('bytes', 0)])
def target(new, m):
    global opened
    opened = new
    new.on_msg(handle)
comm.get_comm_manager().register_target('t', target)`,
    });
    await send({ kind: 'open', targetName: 't' });
  });
  afterAll(() => agent[Symbol.asyncDispose]());

  const send = (changes: Partial<CommMessage>, more = {}) =>
    agent.run({ code: '', comm: { ...message, ...changes }, ...more });

  test('are events of the step that handles them, the received one first', async () => {
    const asked = { ...message, data: { n: 1 }, metadata: { v: '2' } };
    const { frames, done, stdout } = await send(asked);
    expect(frames.map(({ type }) => type).filter((type) => type !== 'stdout')).toEqual([
      'started',
      'comm',
      'comm',
      'done',
    ]);
    const answer = { ...message, data: { n: 1 }, buffers: [''], sender: 'kernel' };
    expect(commsOf(frames)).toEqual([{ ...asked, sender: 'client' }, answer]);
    expect([done.status, stdout]).toEqual(['succeeded', "handled {'n': 1}\n"]);
  });

  test('wait for the running step and keep their order', async () => {
    const busy = await agent.open({ code: 'time.sleep(0.3); order = []' });
    const sent = [1, 2, 3].map(async (n) => {
      const { frames } = await agent.open({ code: '', comm: { ...message, data: { n } } });
      return commsOf(await all(frames)).map(({ data }) => (data as { n: number }).n);
    });
    expect(report(busy.stepId, await all(busy.frames)).stdout).toBe('');
    expect(await Promise.all(sent)).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  test('are stopped at their timeout and by an interrupt, and the state stays', async () => {
    const { done } = await send({ data: { wait: true } }, { timeoutMs: 300 });
    expect(done).toMatchObject({ status: 'timed_out', stateSurvived: true });
    const { stepId, frames } = await agent.open({ code: '', comm: { ...message, data: { wait: true } } });
    await readTo(frames, 'stdout');
    await agent.call('POST', `/v1/steps/${stepId}/interrupt`);
    expect(report(stepId, await all(frames)).done).toMatchObject({ status: 'interrupted', stateSurvived: true });
    expect((await send({ data: { n: 2 } })).done.status).toBe('succeeded');
  });

  test('are limited together with the results of their step, and the loss is reported', async () => {
    const code = `for _ in range(8): opened.send({}, buffers=[b'x' * 4_500_000])`;
    const { frames, done } = await agent.run({ code });
    const truncated = frames.find(({ type }) => type === 'truncated');
    expect(commsOf(frames).length).toBe(5);
    expect(truncated?.json).toMatchObject({ stream: 'result' });
    expect(truncated?.json.bytes).toBeGreaterThan(3 * 6_000_000);
    expect(done.status).toBe('succeeded');
  });

  test('go to the background of the context, under their own step, if a thread sends them', async () => {
    const { stepId } = await agent.run({ code: 'threading.Timer(0.2, lambda: opened.send({"late": 1})).start()' });
    const items = async () => (await agent.call('GET', '/v1/contexts/python/background')).body.items;
    await until('the message', async () => (await items()).length > 0);
    const comm = { ...message, data: { late: 1 } };
    expect(await items()).toMatchObject([{ seq: 1, stepId, stream: 'comm', text: '', comm }]);
  });

  test('come with a request of the code to clear its output, which the step keeps', async () => {
    const code =
      'from IPython.display import clear_output\nprint("kept")\nclear_output(wait=True)\nclear_output()\nprint("new")';
    const { frames, stdout } = await agent.run({ code });
    expect(frames.filter(({ type }) => type === 'output_cleared').map(({ json }) => json)).toEqual([
      { wait: true },
      { wait: false },
    ]);
    expect(frames.map(({ type }) => type).slice(1, -1)).toEqual([
      'stdout',
      'output_cleared',
      'output_cleared',
      'stdout',
    ]);
    expect(stdout).toBe('kept\nnew\n');
  });

  test('are rejected if their shape is wrong', async () => {
    const step = {
      stepId: 'stp_01kaf3y2bw4x5y6z7a8b9cdefg',
      contextId: 'python',
      code: '',
      timeoutMs: 1000,
      queue: 'wait',
    };
    for (const comm of [
      { ...message, kind: 'shout' },
      { ...message, metadata: [] },
      { ...message, commId: '' },
    ])
      expect((await agent.call('POST', '/v1/steps', { ...step, comm })).status).toBe(400);
  });
});
