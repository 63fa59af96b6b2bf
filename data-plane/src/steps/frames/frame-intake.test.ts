import { encodeFrame, type Frame, type FrameType, frameAt } from '@holdfast/specs/agent';
import { describe, expect, test } from 'vitest';
import { FrameIntake } from './frame-intake.ts';

const frame = (type: FrameType, seq: number, payload: object | Uint8Array): Frame =>
  frameAt(encodeFrame(type, seq, payload), 0) as Frame;
const started = (seq = 1) => frame('started', seq, { contextEpoch: 2, executionCount: 7 });
const done = (seq: number, more = {}) =>
  frame('done', seq, {
    status: 'succeeded',
    contextEpoch: 2,
    executionCount: 7,
    durationMs: 1,
    stateSurvived: true,
    cause: null,
    ...more,
  });

test('returns the frames in order, without done, each stamped with the time since the step was queued', () => {
  const intake = new FrameIntake(Date.now() - 1000);
  const shown = intake.take([started(), frame('stdout', 2, Buffer.from([0, 255])), done(3)]);
  expect(shown.map((bytes) => frameAt(bytes, 0)?.type)).toEqual(['started', 'stdout']);
  expect(frameAt(shown[1] as Buffer, 0)?.payload).toEqual(Buffer.from([0, 255]));
  for (const bytes of shown) expect(frameAt(bytes, 0)?.timeMs).toBeGreaterThanOrEqual(1000);
  expect(intake).toMatchObject({ lastSeq: 3, contextEpoch: 2, executionCount: 7, done: { status: 'succeeded' } });
});

/** The times of the events of an agent that says these. */
function timesOf(queuedAtMs: number, said: readonly number[]): number[] {
  const frames = said.map((timeMs, index) => {
    const bytes = encodeFrame('stdout', index + 1, Buffer.from('x'));
    bytes.writeUInt32BE(timeMs, 8);
    return frameAt(bytes, 0) as Frame;
  });
  return new FrameIntake(queuedAtMs).take(frames).map((bytes) => frameAt(bytes, 0)?.timeMs as number);
}

test('takes the times that an agent says, so that each replica shows the same', () => {
  const said = [1, 41, 41, 30, 90_000];
  const now = Date.now();
  expect(timesOf(now - 40_000, said)).toEqual([0, 40, 40, 40, 89_999]);
  expect(timesOf(now - 500_000, said)).toEqual([0, 40, 40, 40, 89_999]);
  const last = timesOf(now, said).at(-1);
  expect(last, 'no agent gets further into the future').toBeLessThan(70_000);
});

test('an agent that says some times and not others makes none that run backwards', () => {
  const times = timesOf(Date.now() - 5000, [40_001, 0, 1]);
  expect(times).toEqual([40_000, 40_000, 40_000]);
  expect(timesOf(Date.now() - 5000, [0, 1]).at(-1)).toBeGreaterThanOrEqual(5000);
});

test('drops fields that the schema does not know, so that they cannot pass for ours', () => {
  const result = { data: { 'text/plain': '1' }, metadata: {}, isMain: true };
  const [shown] = new FrameIntake(Date.now()).take([
    frame('result', 1, { ...result, sessionId: 'ses_x', actor: 'user', seq: 9 }),
  ]);
  expect(JSON.parse(frameAt(shown as Buffer, 0)?.payload.toString() ?? '')).toEqual(result);
});

test('collects changes and does not show them', () => {
  const intake = new FrameIntake(Date.now());
  const change = { path: 'a.txt', change: 'created', size: 1, concurrent: false, version: 'v' };
  const changes = (seq: number, path: string) => frame('changes', seq, { changes: [{ ...change, path }] });
  const shown = intake.take([started(), changes(2, 'a.txt'), changes(3, 'b.txt'), done(4)]);
  expect(shown).toHaveLength(1);
  expect(intake).toMatchObject({ lastSeq: 4, shownSeq: 1, changes: [{ path: 'a.txt' }, { path: 'b.txt' }] });
});

test('collects changes of directories, and refuses more of both than an agent lists', () => {
  const intake = new FrameIntake(Date.now());
  const change = { path: 'a', change: 'created', size: 1, concurrent: false, version: 'v' };
  const part = { changes: [change], directories: Array(499).fill({ path: 'd', change: 'created' }) };
  const changes = (seq: number) => frame('changes', seq, part);
  for (let seq = 1; seq <= 40; seq++) expect(intake.take([changes(seq)])).toEqual([]);
  expect([intake.changes.length, intake.directories.length]).toEqual([40, 40 * 499]);
  expect(() => intake.take([changes(41)])).toThrow('too many changes');
});

test('ignores the contextEpoch and executionCount that an agent reports for a job', () => {
  const intake = new FrameIntake(Date.now(), { isJob: true });
  const [shown] = intake.take([started(), done(2)]);
  const content = { contextEpoch: null, executionCount: null };
  expect(JSON.parse(frameAt(shown as Buffer, 0)?.payload.toString() ?? '')).toEqual(content);
  expect(intake).toMatchObject(content);
});

test('replaces characters in a cause that Postgres cannot store', () => {
  const intake = new FrameIntake(Date.now());
  intake.take([done(1, { status: 'failed', cause: { code: 'kernel_exited', message: 'a\0b\ud800' } })]);
  expect(intake.done?.cause?.message).toBe('a\uFFFDb\uFFFD');
});

const mebibyte = 1024 * 1024;
const result = (seq: number, json: string) =>
  frame('result', seq, Buffer.from(`{"data":{"application/json":${json}},"metadata":{},"isMain":true}`));
const shownType = (shown: Buffer[]) => shown.map((bytes) => frameAt(bytes, 0)?.type);

test('shows large results of an honest agent', () => {
  const rows = Array.from({ length: 4000 }, (_, x) => ({ x, y: x * 2, label: `row ${x}`, group: 'a', share: 0.5 }));
  const image = JSON.stringify('A'.repeat(7 * mebibyte));
  const numbers = JSON.stringify(Array.from({ length: 300_000 }, (_, n) => n));
  const shown = new FrameIntake(Date.now()).take([
    result(1, JSON.stringify(rows)),
    result(2, image),
    result(3, numbers),
  ]);
  expect(shownType(shown)).toEqual(['result', 'result', 'result']);
});

test.each([
  ['with more arrays than', `[${'[],'.repeat(mebibyte)}1]`],
  ['with more keys than', `{${Array.from({ length: 60_000 }, (_, n) => `"k${n}":1`).join()}}`],
  ['that is nested deeper than', `${'['.repeat(1000)}${']'.repeat(1000)}`],
])('leaves out a result %s can be parsed in a short time, and says so', (_, json) => {
  const intake = new FrameIntake(Date.now());
  const shown = intake.take([started(), result(2, json), result(3, '1'), done(4)]);
  expect(shownType(shown)).toEqual(['started', 'truncated', 'result']);
  expect(intake).toMatchObject({ truncated: true, shownSeq: 3, done: { status: 'succeeded' } });
});

const comm = (seq: number, data: string) => {
  const rest = '"commId":"c","kind":"message","targetName":null,"metadata":{},"buffers":[],"sender":"kernel"';
  return frame('comm', seq, Buffer.from(`{${rest},"data":{"x":${data}},"actor":"user"}`));
};

test('shows comm messages without the fields that the schema does not know, and bounds them together with results', () => {
  const numbers = JSON.stringify(Array.from({ length: 300_000 }, (_, n) => n));
  const intake = new FrameIntake(Date.now());
  const [first] = intake.take([comm(1, '1')]);
  expect(JSON.parse(frameAt(first as Buffer, 0)?.payload.toString() ?? '')).toEqual({
    commId: 'c',
    kind: 'message',
    targetName: null,
    data: { x: 1 },
    metadata: {},
    buffers: [],
    sender: 'kernel',
  });
  const shown = [2, 4, 6].flatMap((seq) => intake.take([comm(seq, numbers), result(seq + 1, numbers)]));
  expect(shownType(shown)).toEqual(['comm', 'result', 'comm', 'truncated', 'truncated', 'truncated']);
});

test('all results of a step together are bounded', () => {
  const numbers = JSON.stringify(Array.from({ length: 300_000 }, (_, n) => n));
  const intake = new FrameIntake(Date.now());
  const shown = [1, 2, 3, 4].flatMap((seq) => intake.take([result(seq, numbers)]));
  expect(shownType(shown)).toEqual(['result', 'result', 'result', 'truncated']);
});

test('a little output does not keep the chunk in memory in which it came', () => {
  const chunk = Buffer.concat([encodeFrame('stdout', 1, Buffer.from('x')), Buffer.alloc(60_000)]);
  const [shown] = new FrameIntake(Date.now()).take([frameAt(chunk, 0) as Frame]);
  expect(shown?.buffer.byteLength).toBe(17);
  expect(frameAt(shown as Buffer, 0)).toMatchObject({ type: 'stdout', payload: Buffer.from('x') });
});

const ask = { prompt: 'Name: ', password: false };

test('shows a request for input without the fields that the schema does not know', () => {
  const [shown] = new FrameIntake(Date.now()).take([
    frame('input_request', 1, { ...ask, stepId: 'stp_x', text: 'forged' }),
  ]);
  expect(frameAt(shown as Buffer, 0)?.type).toBe('input_request');
  expect(JSON.parse(frameAt(shown as Buffer, 0)?.payload.toString() ?? '')).toEqual(ask);
});

describe('rejects frames of a hostile agent', () => {
  const cases: [string, Frame[]][] = [
    ['a sequence that does not begin with 1', [started(2)]],
    ['a gap', [started(), frame('stdout', 3, Buffer.from('x'))]],
    ['a repeated number', [started(), started(1)]],
    ['a frame after done', [done(1), started(2)]],
    ['a payload that is not JSON', [frame('error', 1, Buffer.from('{'))]],
    ['a payload that does not match its schema', [frame('started', 1, { contextEpoch: 'two', executionCount: 1 })]],
    ['a request for input after done', [done(1), frame('input_request', 2, ask)]],
    ['a request for input without `password`', [frame('input_request', 1, { prompt: 'PIN' })]],
    ['a comm message without a sender', [frame('comm', 1, { commId: 'c', kind: 'close', data: {} })]],
    ['a request to clear without a time', [frame('output_cleared', 1, {})]],
    ['a prompt that is too long', [frame('input_request', 1, { ...ask, prompt: 'x'.repeat(65_537) })]],
    ['an artifact, which only the data-plane announces', [frame('artifact', 1, { id: 'art_x' })]],
    ['a denial, which only the data-plane announces', [frame('operation_denied', 1, { name: 'a' })]],
    [
      'a change without a size',
      [frame('changes', 1, { changes: [{ path: 'a', change: 'created', concurrent: false }] })],
    ],
    ['an unknown status', [done(1, { status: 'lost' })]],
    ['an unknown cause', [done(1, { cause: { code: 'whim' } })]],
  ];
  test.each(cases)('%s', (_title, frames) => {
    expect(() => new FrameIntake(Date.now()).take(frames)).toThrowError(expect.objectContaining({ kind: 'invalid' }));
  });

  test('more bytes than a step may have', () => {
    const intake = new FrameIntake(Date.now());
    const chunk = Buffer.alloc(8 * 1024 * 1024);
    const flood = () => {
      for (let seq = 1; seq < 20; seq++) intake.take([frame('stdout', seq, chunk)]);
    };
    expect(flood).toThrowError(expect.objectContaining({ kind: 'invalid' }));
  });

  test('more changes than a step may have', () => {
    const intake = new FrameIntake(Date.now());
    const change = { path: 'a', change: 'created', size: 1, concurrent: false };
    const changes = { changes: Array(500).fill(change) };
    const flood = () => {
      for (let seq = 1; seq < 50; seq++) intake.take([frame('changes', seq, changes)]);
    };
    expect(flood).toThrowError(expect.objectContaining({ kind: 'invalid' }));
  });

  test('a state_reset with more names than a kernel has', () => {
    const names = Array(10_001).fill('a');
    const reset = frame('state_reset', 1, { contextEpoch: 1, restored: names, replayed: [], lost: [] });
    expect(() => new FrameIntake(Date.now()).take([reset])).toThrowError(expect.objectContaining({ kind: 'invalid' }));
  });

  test('more requests for input than a step may have', () => {
    const intake = new FrameIntake(Date.now());
    const flood = () => {
      for (let seq = 1; seq < 400_000; seq++) intake.take([frame('input_request', seq, { ...ask, prompt: '' })]);
    };
    expect(flood).toThrowError(expect.objectContaining({ kind: 'invalid' }));
  });
});

test('leaves out an update that would make a step much longer, as all results that have its id get it', () => {
  const intake = new FrameIntake(Date.now());
  const result = { displayId: 'a', isMain: false, data: {}, metadata: {} };
  const results = Array.from({ length: 1000 }, (_, i) => frame('result', i + 1, result));
  const update = (seq: number, text: string) =>
    frame('result_update', seq, { displayId: 'a', data: { 'text/plain': text }, metadata: {} });
  const shown = intake.take([...results, update(1001, 'x'.repeat(1024)), update(1002, 'x'.repeat(100_000))]);
  expect(shown.slice(-2).map((bytes) => frameAt(bytes, 0)?.type)).toEqual(['result_update', 'truncated']);
  expect(intake.truncated).toBe(true);
});

test('keeps the counts of a silent step from clients, and those of silent steps from any other', () => {
  const first = { contextEpoch: 2, executionCount: 7, silentCount: 3 };
  const contentOf = (intake: FrameIntake, content: object) => {
    const [shown] = intake.take([frame('started', 1, content)]);
    return JSON.parse(frameAt(shown as Buffer, 0)?.payload.toString() ?? '');
  };
  const silent = new FrameIntake(Date.now(), { isSilent: true });
  expect(contentOf(silent, first)).toEqual({ contextEpoch: 2, executionCount: null });
  expect(silent).toMatchObject({ executionCount: 7, silentCount: 3 });
  const full = new FrameIntake(Date.now());
  expect(contentOf(full, first)).toEqual({ contextEpoch: 2, executionCount: 7 });
  expect(full.silentCount).toBeNull();
});

test('refuses the value of an expression that was not asked for, or that came before', () => {
  const value = { data: { 'text/plain': '1' }, metadata: {} };
  const expression = (seq: number, name: string) => frame('expression', seq, { name, value });
  const intake = new FrameIntake(Date.now(), { expressions: ['a'] });
  expect(intake.take([started(), expression(2, 'a')])).toHaveLength(2);
  expect(() => intake.take([expression(3, 'a')])).toThrow('not asked for');
  expect(() => new FrameIntake(Date.now()).take([expression(1, 'a')])).toThrow('not asked for');
});
