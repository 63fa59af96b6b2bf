import { expect, test } from 'vitest';
import { AgentError } from '../../agent/agent-error.ts';
import type { Sandbox } from '../../runtimes/runtime.ts';
import { meetAgent } from './meet-agent.ts';

const sandbox: Sandbox = {
  name: 'ses-1',
  uid: 'uid',
  node: 'here',
  endpoint: 'http://127.0.0.1:1',
  phase: 'running',
  createdAt: new Date(0),
};
const cause = { reason: 'sandbox_exited', message: 'exit code 78' } as const;
const silent = {
  meet: async () => {
    throw new AgentError('undelivered', 'refused');
  },
};

test.each([
  ['is shown as ended', { ...sandbox, phase: 'ended' as const, endpoint: null, cause }],
  ['is gone', null],
  ['has another incarnation', { ...sandbox, uid: 'other' }],
])('a sandbox that %s before its agent answers ends the wait, with the cause', async (_, found) => {
  const runtime = { inspect: async () => found, explain: async () => cause };
  const signal = AbortSignal.timeout(20_000);
  await expect(meetAgent({ agents: silent, runtime }, { sandbox, signal })).rejects.toMatchObject({
    name: 'SandboxError',
    ...cause,
  });
});

test('the wait goes on while an agent takes its time', async () => {
  let calls = 0;
  const agents = { meet: async () => (calls++ < 3 ? await silent.meet() : 'key') };
  const runtime = { inspect: async () => sandbox, explain: async () => cause };
  const met = await meetAgent({ agents, runtime }, { sandbox, signal: AbortSignal.timeout(20_000) });
  expect(met).toMatchObject({ uid: 'uid', agentPublicKey: 'key' });
});
