import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent();
});
afterAll(() => agent[Symbol.asyncDispose]());

async function limited(language: 'python' | 'node', limits: object): Promise<string> {
  const contextId = newId('ctx');
  const { status } = await agent.call('POST', '/v1/contexts', { contextId, language, limits });
  expect(status).toBe(201);
  return contextId;
}

test('limits the memory of a context, which survives if its language can handle that', async () => {
  const contextId = await limited('python', { memoryMb: 128 });
  const large = await agent.run({ contextId, code: 'x = bytearray(200 << 20)' });
  expect(large.done).toMatchObject({ status: 'failed', stateSurvived: true });
  expect(large.frames.find(({ type }) => type === 'error')?.json.name).toBe('MemoryError');
  expect((await agent.run({ contextId, code: 'len(bytearray(50 << 20))' })).value).toBe(String(50 << 20));
  expect((await agent.run({ code: 'len(bytearray(200 << 20))' })).value).toBe(String(200 << 20));
});

test('limits the heap of a Node context', async () => {
  const contextId = await limited('node', { memoryMb: 64 });
  const code = 'const kept = []; for (;;) kept.push(new Array(100_000).fill(kept.length))';
  const { done } = await agent.run({ contextId, code });
  expect(done).toMatchObject({
    status: 'failed',
    stateSurvived: false,
    cause: { code: 'kernel_killed', signal: 'SIGABRT' },
  });
  expect((await agent.run({ contextId, code: '6 * 7' })).value).toBe('42');
});

test.for(['python', 'node'] as const)(
  'CPU time beyond the limit ends the kernel by a named cause: %s',
  async (language) => {
    const contextId = await limited(language, { cpuSeconds: 1 });
    const loop = { python: 'while True: pass', node: 'for (;;) {}' };
    const { done } = await agent.run({ contextId, code: loop[language] });
    expect(done).toMatchObject({ status: 'failed', stateSurvived: false });
    expect(done.cause).toEqual({
      code: 'cpu_limit',
      signal: 'SIGXCPU',
      message: 'the kernel used up its limit of 1 seconds of CPU time',
    });
    expect((await agent.run({ contextId, code: '6 * 7' })).value).toBe('42');
  },
);

test('sets the limits on the process and its children, without a trace in the environment', async () => {
  const contextId = await limited('python', { memoryMb: 256, cpuSeconds: 60, processesMax: 4000, fileMb: 3 });
  const code = `import os, resource, subprocess
names = [resource.RLIMIT_DATA, resource.RLIMIT_CPU, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE]
child = subprocess.getoutput('ulimit -t')
[[resource.getrlimit(name) for name in names], child, open('/proc/self/cmdline').read().count('ulimit'), [name for name in os.environ if 'LIMIT' in name]]`;
  const { value } = await agent.run({ contextId, code });
  expect(String(value).replaceAll(/\s+/g, ' ')).toBe(
    `[[(${256 << 20}, ${256 << 20}), (60, 62), (4000, 4000), (${3 << 20}, ${3 << 20})], '60', 0, []]`,
  );
});

test('rejects invalid limits', async () => {
  const create = (limits: object) =>
    agent.call('POST', '/v1/contexts', { contextId: newId('ctx'), language: 'python', limits });
  for (const limits of [{ memoryMb: 1 }, { cpuSeconds: 0.5 }, { processesMax: '9' }, { disk: 1 }]) {
    expect((await create(limits)).status).toBe(400);
  }
});
