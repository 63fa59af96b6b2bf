import { expect, test } from 'vitest';
import { eventContent } from '../public/event.ts';
import { environmentSchema } from '../public/values/environment.ts';
import { problemSchema } from '../public/values/problems.ts';
import { metadataSchema } from '../public/values/session-fields.ts';
import { doneSchema } from './frames.ts';
import { processDoneSchema } from './process-frames.ts';

const done = {
  status: 'failed',
  contextEpoch: 1,
  executionCount: 1,
  durationMs: 1,
  stateSurvived: true,
  cause: { code: 'kernel_killed', signal: 'SIGKILL' },
};

test.each([
  { contextEpoch: 3e9 },
  { executionCount: 3e9 },
  { durationMs: 1e300 },
  { cause: { code: 'kernel_killed', signal: 'a\0' } },
  { cause: { code: 'kernel_exited', exitCode: 3e9 } },
])('rejects an end that the registry could not store: %j', (lie) => {
  expect(doneSchema.safeParse(done).success).toBe(true);
  expect(doneSchema.safeParse({ ...done, ...lie }).success).toBe(false);
});

test('rejects the end of a process whose CPU time the registry could not add up', () => {
  const ended = { status: 'exited', exitCode: 0, signal: null, cause: null, durationMs: 1 };
  const output = { stdoutBytes: 0, stderrBytes: 0, outputIncomplete: false };
  const endWith = (cpuSeconds: number) => ({ ...ended, ...output, usage: { cpuSeconds, memoryBytesMax: 1 } });
  expect(processDoneSchema.safeParse(endWith(1)).success).toBe(true);
  expect(processDoneSchema.safeParse(endWith(1e308)).success).toBe(false);
});

test('rejects a start with counts that the registry could not store', () => {
  expect(eventContent.started.safeParse({ contextEpoch: 1, executionCount: 1 }).success).toBe(true);
  expect(eventContent.started.safeParse({ contextEpoch: 3e9, executionCount: 1 }).success).toBe(false);
  expect(eventContent.started.safeParse({ contextEpoch: 1, executionCount: 3e9 }).success).toBe(false);
});

test('texts from an agent become texts that can be stored', () => {
  const cause = { code: 'kernel_exited', message: 'a\0b\ud800' };
  expect(doneSchema.parse({ ...done, cause }).cause?.message).toBe('a\ufffdb\ufffd');
  const problem = { type: '', code: 'internal', title: '\0', status: 500, detail: `\0${'😀'.repeat(1000)}` };
  const { title, detail } = problemSchema.parse(problem);
  expect(title).toBe('\ufffd');
  expect(detail).toHaveLength(1000);
  expect(detail?.isWellFormed()).toBe(true);
});

test.each([
  ['environment', environmentSchema],
  ['metadata', metadataSchema],
])('rejects an %s with the key __proto__ and names the key', (_, schema) => {
  const refused = schema.safeParse(JSON.parse('{"__proto__": "x", "A": "b"}'));
  expect(refused.error?.issues.map(({ path }) => path)).toEqual([['__proto__']]);
  expect(schema.parse({ A: 'b' })).toEqual({ A: 'b' });
});

test('the size limit of an environment counts bytes', () => {
  const third = '€'.repeat(8000);
  expect(environmentSchema.safeParse({ A: third, B: third }).success).toBe(true);
  expect(environmentSchema.safeParse({ A: third, B: third, C: third }).success).toBe(false);
});
