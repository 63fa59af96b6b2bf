import type { AgentProcess } from '@holdfast/specs/agent';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { residentBytes } from '../support/processes-of.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';
import { all, jsonOf, outputOf, processClient, type ReadProcessFrame, report } from './support/process-client.ts';

const mebibyte = 1024 * 1024;

let agent: AgentUnderTest;
let processes: ReturnType<typeof processClient>;
beforeAll(async () => {
  agent = await startAgent({ HOLDFAST_AGENT_PYTHON_PRELOAD: 'none' });
  processes = processClient(agent);
});
afterAll(() => agent[Symbol.asyncDispose]());

/** Writes numbered lines of 16 bytes, `mebibytes` of them. */
const lines = (mebibytes: number) => `seq -f %015.0f 0 ${mebibytes * 65_536 - 1}`;
const line = (number: number) => `${String(number).padStart(15, '0')}\n`;

const missing = (frames: ReadProcessFrame[]) =>
  frames
    .filter(({ type }) => type === 'truncated')
    .reduce((sum, frame) => sum + (jsonOf(frame) as { bytes: number }).bytes, 0);

test('loses nothing of a long output for a reader that the process waits for', async () => {
  const { frames, done } = await processes.run({ command: lines(32), paced: true });
  expect(missing(frames)).toBe(0);
  const bytes = outputOf(frames, 'stdout');
  expect(bytes.length).toBe(32 * mebibyte);
  const wrong = Array.from({ length: 32 * 65_536 }, (_, at) => at).find(
    (at) => bytes.toString('latin1', at * 16, at * 16 + 16) !== line(at),
  );
  expect(wrong).toBeUndefined();
  expect(done.stdoutBytes).toBe(32 * mebibyte);
}, 60_000);

test('keeps the beginning and the end of a flood, in bounded memory, and serves others meanwhile', async () => {
  const { processId, frames } = await processes.open({ command: 'yes', output: 'ends' });
  await until('a flood', async () => (await processes.state(processId)).stdoutBytes > 64 * mebibyte, 30_000);
  expect((await processes.run({ command: 'echo on' })).stdout).toBe('on\n');
  expect(residentBytes(agent.pid)).toBeLessThan(300 * mebibyte);
  await processes.signal(processId, 'SIGKILL');
  const { stdout, done } = report(processId, await all(frames));
  expect(stdout).toBe('y\n'.repeat(32 * 1024));
  const late = await all(await processes.attach(processId));
  expect(missing(late) + outputOf(late, 'stdout').length).toBe(done.stdoutBytes);
  expect(outputOf(late, 'stdout').length).toBeLessThan(5 * mebibyte);
}, 60_000);

test('reads no more from a process while a reader that it waits for takes nothing', async () => {
  const { processId, frames } = await processes.open({ command: `${lines(16)}; echo end >&2`, paced: true });
  await frames.next();
  const position = async () => (await processes.state(processId)).position;
  let before = -1;
  await until('the process to wait', async () => {
    const [last, now] = [before, await position()];
    before = now;
    return now > 0 && now === last;
  });
  expect(before).toBeLessThan(16 * mebibyte);
  const rest = await all(frames);
  expect(missing(rest)).toBe(0);
  expect(report(processId, rest)).toMatchObject({ stderr: 'end\n', done: { stdoutBytes: 16 * mebibyte } });
}, 60_000);

test.for<[string, Partial<AgentProcess>, (processId: string) => Promise<unknown>]>([
  ['of all processes', {}, () => agent.call('DELETE', '/v1/processes')],
  ['by its timeout', { timeoutMs: 1500 }, async () => {}],
  ['by a signal', {}, (processId) => processes.signal(processId, 'SIGTERM')],
])('a reader that takes nothing does not put off the end %s', { timeout: 60_000 }, async ([, request, end]) => {
  const { processId, frames } = await processes.open({ command: lines(64), paced: true, ...request });
  await frames.next();
  let before = -1;
  await until('the process to wait', async () => {
    const [last, now] = [before, (await processes.state(processId)).position];
    before = now;
    return now > 0 && now === last;
  });
  await end(processId);
  await until('the end', async () => (await processes.state(processId)).state === 'ended', 10_000);
  await frames.return?.(undefined);
});

test('shows only the ends of the output to a reader that asks for them, with `started` at once', async () => {
  const { frames } = await processes.open({ command: 'read; true', stdin: true, output: 'ends' });
  expect((await frames.next()).value).toMatchObject({ type: 'started' });
  await frames.return(undefined);
  const long = await processes.run({ command: lines(1), output: 'ends' });
  expect(long.frames.map(({ type }) => type).filter((type) => type !== 'stdout')).toEqual([
    'started',
    'truncated',
    'done',
  ]);
  expect(missing(long.frames)).toBe(mebibyte - 64 * 1024);
  expect(long.stdout.startsWith(line(0)) && long.stdout.endsWith(line(65_535))).toBe(true);
  const short = await processes.run({ command: 'echo out; echo err >&2', output: 'ends' });
  expect(short).toMatchObject({ stdout: 'out\n', stderr: 'err\n' });
});

test('gives the bytes of one stream from any offset', async () => {
  const { processId } = await processes.run({ command: `${lines(8)}; echo err >&2` });
  const read = async (stream: string, offset: number) => {
    const response = await agent.send('GET', processes.path(processId, `/output/${stream}?offset=${offset}`));
    return { offset: Number(response.headers.get('holdfast-offset')), text: await response.text() };
  };
  expect(await read('stderr', 0)).toEqual({ offset: 0, text: 'err\n' });
  const head = await read('stdout', 8);
  expect(head.offset).toBe(8);
  expect(head.text.startsWith(line(0).slice(8))).toBe(true);
  const tail = await read('stdout', head.offset + head.text.length);
  expect(tail.offset).toBeGreaterThan(head.offset + head.text.length);
  expect(tail.offset + tail.text.length).toBe(8 * mebibyte);
  expect(tail.text.slice(-16)).toBe(line(8 * 65_536 - 1));
  expect(await read('stdout', 8 * mebibyte)).toEqual({ offset: 8 * mebibyte, text: '' });
});
