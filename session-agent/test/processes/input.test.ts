import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';
import { all, outputOf, processClient, readTo, report } from './support/process-client.ts';

let agent: AgentUnderTest;
let processes: ReturnType<typeof processClient>;
beforeAll(async () => {
  agent = await startAgent({ HOLDFAST_AGENT_PYTHON_PRELOAD: 'none' });
  processes = processClient(agent);
});
afterAll(() => agent[Symbol.asyncDispose]());

test('streams both ways', async () => {
  const { processId, frames } = await processes.open({
    command: 'while read line; do echo "got $line"; done',
    stdin: true,
  });
  for (const word of ['one', 'two', 'three']) {
    expect(await (await processes.input(processId, `${word}\n`)).json()).toMatchObject({ ended: false });
    await readTo(frames, `got ${word}\n`);
  }
  const ended = await processes.input(processId, 'last', '?end=true');
  expect(await ended.json()).toEqual({ bytes: 18, taken: 4, ended: true });
  expect(report(processId, await all(frames)).done.exitCode).toBe(0);
});

test('passes bytes of any kind through unchanged', async () => {
  const bytes = randomBytes(1024 * 1024);
  const { processId, frames } = await processes.open({ command: ['cat'], stdin: true });
  const read = all(frames);
  for (let sent = 0; sent < bytes.length; ) {
    const answer = await processes.input(processId, bytes.subarray(sent), `?offset=${sent}`);
    sent = ((await answer.json()) as { bytes: number }).bytes;
  }
  await processes.input(processId, '', '?end=true');
  expect(outputOf(await read, 'stdout').equals(bytes)).toBe(true);
});

test('accepts each byte once if a request is repeated', async () => {
  const { processId, frames } = await processes.open({ command: ['cat'], stdin: true });
  const sent = async (text: string, query: string) => (await processes.input(processId, text, query)).json();
  expect(await sent('abc', '?offset=0')).toEqual({ bytes: 3, taken: 3, ended: false });
  expect(await sent('abcdef', '?offset=0')).toEqual({ bytes: 6, taken: 6, ended: false });
  expect(await sent('x', '?offset=7')).toMatchObject({ code: 'invalid-request' });
  expect(await sent('fg', '?offset=5&end=true')).toEqual({ bytes: 7, taken: 2, ended: true });
  expect(await sent('fg', '?offset=5&end=true')).toEqual({ bytes: 7, taken: 2, ended: true });
  expect(await sent('h', '?offset=7')).toMatchObject({ code: 'stdin-closed' });
  expect(report(processId, await all(frames)).stdout).toBe('abcdefg');
});

test('gives a text as the whole input, however slowly it is read', async () => {
  const text = 'x'.repeat(300_000);
  const { stdout } = await processes.run({ command: 'sleep 0.2; wc -c', stdin: text });
  expect(stdout.trim()).toBe('300000');
});

test('refuses texts that would fill its memory until those that wait are read', async () => {
  await using own = await startAgent({ HOLDFAST_AGENT_PYTHON_PRELOAD: 'none' });
  const client = processClient(own);
  const stdin = 'x'.repeat(1_048_576);
  const sleeping = { command: 'sleep 600', stdin, output: 'ends' } as const;
  const asked = await Promise.allSettled(Array.from({ length: 64 }, () => client.open(sleeping)));
  const refused = asked.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  expect(refused).toEqual(Array(32).fill(expect.stringContaining('quota-exceeded')));
  const [first] = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (!first) throw new Error('none was started');
  await client.signal(first.processId, 'SIGKILL');
  await all(first.frames);
  // The writer of its input sees its end the next time it looks.
  const count = () => client.run({ command: ['wc', '-c'], stdin }).catch(() => null);
  await until('the room of its input', async () => (await count())?.stdout.trim() === '1048576');
  await own.call('DELETE', '/v1/processes');
}, 60_000);

test.for([
  ['has no input', { command: 'echo up; sleep 600', stdin: false }],
  ['has closed its input', { command: 'exec <&-; echo up; sleep 600', stdin: true }],
] as const)('refuses input for a process that %s', async ([, request]) => {
  const { processId, frames } = await processes.open(request);
  await readTo(frames, 'up');
  const answer = await processes.input(processId, 'x');
  expect(await answer.json()).toMatchObject({ code: 'stdin-closed' });
  await processes.signal(processId, 'SIGKILL');
  await all(frames);
});

test('says how much a process that reads nothing has room for, and serves others meanwhile', async () => {
  const { processId, frames } = await processes.open({ command: 'sleep 600', stdin: true });
  const waiting = processes.input(processId, 'x'.repeat(200_000));
  expect((await processes.run({ command: 'echo on' })).stdout).toBe('on\n');
  expect(await (await waiting).json()).toEqual({ bytes: 65_536, taken: 65_536, ended: false });
  await processes.signal(processId, 'SIGKILL');
  await all(frames);
}, 30_000);
