import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';

/** Its files have at most two mebibytes. */
const program = fileURLToPath(new URL('../support/fixtures/agent-with-small-files.ts', import.meta.url));

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent({}, program);
  await agent.call('PUT', '/v1/session', { language: 'python', env: {}, keepsState: true });
});
afterAll(() => agent[Symbol.asyncDispose]());

const full = {
  status: 507,
  body: { code: 'workspace-full', detail: 'the temporary directory of the sandbox is full' },
};
const limits = { bytesMax: 2 ** 30, timeoutMs: 20_000 };

test.each([
  ['python', 'import random; big = random.randbytes(4_000_000)', 'big = 0', 'print(big)'],
  ['node', "var big = require('crypto').randomBytes(4_000_000)", 'big = 0', 'console.log(big)'],
] as const)(
  'a snapshot of %s says that the disk is full, and the context goes on',
  async (language, fill, free, show) => {
    await agent.run({ contextId: language, language, code: fill });
    for (const to of ['fork', 'recovery']) {
      expect(await agent.call('POST', `/v1/contexts/${language}/snapshot?for=${to}`, limits)).toMatchObject(full);
    }
    await agent.run({ contextId: language, language, code: free });
    expect((await agent.send('POST', `/v1/contexts/${language}/snapshot`, limits)).status).toBe(200);
    expect((await agent.run({ contextId: language, language, code: show })).stdout).toBe('0\n');
  },
);

test('an archive that comes from the host, and the code of later steps, are refused in the same way', async () => {
  const put = await fetch(`${agent.url}/v1/contexts/node/archive`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${agent.token}`, 'content-type': 'application/octet-stream' },
    body: Buffer.alloc(4_000_000),
  });
  expect({ status: put.status, body: await put.json() }).toMatchObject(full);
  const step = { stepId: newId('stp'), code: `# ${'x'.repeat(4_000_000)}`, status: 'succeeded', replay: false };
  const recovery = { language: 'python', env: {}, hasArchive: false, steps: [step], timeoutMs: 20_000 };
  await agent.run({ code: 'kept = 1' });
  expect(await agent.call('POST', '/v1/contexts/python/recover', recovery)).toMatchObject(full);
  expect((await agent.run({ code: 'kept' })).value).toBe('1');
});

test('a job that runs beside another goes on if there is no room for the paths that it changes', async () => {
  const holding = agent.runJob({
    language: 'bash',
    filename: 'main',
    code: 'echo > begun; until [ -e ended ]; do sleep 0.05; done',
  });
  await until('a job that runs beside', () => existsSync(join(agent.workspace, 'begun')));
  const code = `import os
for number in range(700):
    try: open('/'.join([str(number).rjust(200, 'x')] * 18), 'w')
    except OSError: pass
open('ended', 'w').close()
print('whole')`;
  const { stdout, done } = await agent.runJob({ language: 'python', filename: 'main', code });
  expect({ stdout, status: done.status }).toEqual({ stdout: 'whole\n', status: 'succeeded' });
  await holding;
});
