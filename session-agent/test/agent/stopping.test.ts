import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { all, readTo, report } from '../support/agent-client.ts';
import { processesRunning } from '../support/processes-of.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent({ HOLDFAST_STOP_GRACE_MS: '300' });
  await Promise.all([agent.run({ code: '1' }), agent.run({ code: '1', contextId: 'node' })]);
});
afterAll(() => agent[Symbol.asyncDispose]());

const up = 'print("up", flush=True)\n';
const stubborn = [
  [
    'python',
    'ignores the signal',
    `import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN)\n${up}while True: time.sleep(1)`,
  ],
  [
    'python',
    'blocks the signal',
    `import signal, time; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n${up}while True: time.sleep(1)`,
  ],
  ['python', 'catches the interrupt', `${up}while True:\n  try:\n    while True: pass\n  except BaseException: pass`],
  ['python', 'stays in C with the lock', `${up}max(range(10**15))`],
  ['python', 'loops in its own exception handler', `${up}try:\n  while True: pass\nfinally:\n  while True: pass`],
  ['python', 'has stopped itself', `import os, signal\n${up}os.kill(os.getpid(), signal.SIGSTOP)`],
  [
    'python',
    'waits for a child that ignores the signal',
    `import subprocess\n${up}subprocess.run(["sh", "-c", "trap '' INT; exec sleep 60"], start_new_session=True)\nwhile True: pass`,
  ],
  [
    'node',
    'waits in C for a child that ignores the signal',
    `console.log("up"); require("child_process").execSync("trap '' INT; sleep 60 & wait; sleep 60"); for (;;) {}`,
  ],
] as const;

test.for(stubborn)('ends a step of %s in time that %s', async ([contextId, , code]) => {
  const { stepId, frames } = await agent.open({ contextId, code });
  await readTo(frames, 'stdout');
  const interruptedAt = performance.now();
  await agent.call('POST', `/v1/steps/${stepId}/interrupt`);
  const { done } = report(stepId, await all(frames));
  expect(done).toMatchObject({ status: 'interrupted', cause: { code: 'interrupt' } });
  expect(performance.now() - interruptedAt).toBeLessThan(2000);
  const next = await agent.run({ contextId, code: '6 * 7' });
  expect(next).toMatchObject({ value: '42', done: { status: 'succeeded' } });
  expect(next.done.contextEpoch).toBe(done.contextEpoch + (done.stateSurvived ? 0 : 1));
});

test('kills the kernel of a step that ignores its timeout, and reports both', async () => {
  const code = 'import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: time.sleep(1)';
  const { done, frames } = await agent.run({ code, timeoutMs: 200 });
  expect(done).toMatchObject({ status: 'timed_out', cause: { code: 'timeout' }, stateSurvived: false });
  expect(frames.map(({ type }) => type)).toContain('state_reset');
});

test.for([
  ['python', 'print("bye"); exit()', 0],
  ['python', 'import sys; print("bye"); sys.exit("no")', 1],
  ['node', 'console.log("bye"); process.exit()', 0],
] as const)(
  'reports the exit code of a step, and runs the next one in the same kernel: %s %s',
  async ([contextId, code, exitCode]) => {
    const before = await agent.run({ contextId, code: '1' });
    const { done, stdout } = await agent.run({ contextId, code });
    const status = exitCode === 0 ? 'succeeded' : 'failed';
    expect(done).toMatchObject({ status, exitCode, stateSurvived: true, cause: null });
    expect(done.contextEpoch).toBe(before.done.contextEpoch);
    expect(stdout).toBe('bye\n');
    const next = await agent.run({ contextId, code: '6 * 7' });
    expect(next.value).toBe('42');
    expect(next.frames.map(({ type }) => type)).not.toContain('state_reset');
  },
);

test('ends daemons that were forked twice with their context', async () => {
  const seconds = 60_000 + Math.floor(Math.random() * 9000);
  const daemon = `
import os, time
if os.fork() == 0:
  os.setsid()
  if os.fork() == 0:
    os.closerange(0, 256)
    os.execve("/bin/sleep", ["sleep", "${seconds}"], {})
  os._exit(0)
os.wait()[1]`;
  const { body } = await agent.call('POST', '/v1/contexts', { contextId: newId('ctx'), language: 'python' });
  expect((await agent.run({ contextId: body.contextId, code: daemon })).value).toBe('0');
  await until('the daemon', () => processesRunning(['sleep', String(seconds)]) === 1);
  expect((await agent.call('DELETE', `/v1/contexts/${body.contextId}`)).status).toBe(204);
  expect(processesRunning(['sleep', String(seconds)])).toBe(0);
});
