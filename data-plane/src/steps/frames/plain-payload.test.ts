import { doneSchema } from '@holdfast/specs/agent';
import { eventContent } from '@holdfast/specs/public';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonWeight } from '../../agent/parse-json.ts';
import { isPlainResult, plainDone, plainResultWeight, plainStarted } from './plain-payload.ts';

const started = { contextEpoch: 2, executionCount: 7 };
const done = { ...started, durationMs: 0.25, status: 'succeeded', stateSurvived: true, cause: null } as const;
const result = (text: string) => ({ data: { 'text/plain': text }, metadata: {}, isMain: true });
const payload = (content: object | string) =>
  Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));

test('reads the usual payloads as their schemas do', () => {
  expect(plainStarted(payload(started))).toEqual(started);
  expect(plainDone(payload(done))).toEqual(doneSchema.parse(done));
  expect(isPlainResult(payload(result('[1, 2]')))).toBe(true);
  expect(plainResultWeight).toBe(jsonWeight(payload(result('x'))));
});

test.for([
  [plainStarted, { ...started, contextEpoch: 0 }],
  [plainStarted, { ...started, contextEpoch: 2 ** 31 }],
  [plainStarted, { ...started, actor: 'user' }],
  [plainStarted, '{"contextEpoch":02,"executionCount":7}'],
  [plainDone, { ...done, status: 'timed_out' }],
  [plainDone, { ...done, cause: { code: 'timeout' } }],
  [plainDone, { ...done, durationMs: -1 }],
  [isPlainResult, result('a "quoted" text')],
  [isPlainResult, result('\u0000')],
  [isPlainResult, result('é')],
  [isPlainResult, result('x'.repeat(1001))],
  [isPlainResult, { ...result('1'), actor: 'user' }],
  [isPlainResult, '{"data":{"text/plain":"1\n"},"metadata":{},"isMain":true}'],
] as const)('leaves other payloads to their schemas: %#', ([read, content]) => {
  expect(read(payload(content)) || null).toBeNull();
});

test('accepts nothing that a schema rejects, nor reads it differently', () => {
  const near = fc
    .constantFrom(JSON.stringify(started), JSON.stringify(done), JSON.stringify(result('a b')))
    .chain((text) =>
      fc
        .tuple(fc.nat(text.length), fc.nat(4), fc.string({ unit: 'binary', maxLength: 4 }))
        .map(([at, cut, put]) => text.slice(0, at) + put + text.slice(at + cut)),
    );
  fc.assert(
    fc.property(near, (text) => {
      const bytes = payload(text);
      const [asStarted, asDone] = [plainStarted(bytes), plainDone(bytes)];
      if (asStarted) expect(eventContent.started.parse(JSON.parse(text))).toEqual(asStarted);
      if (asDone) expect(doneSchema.parse(JSON.parse(text))).toEqual(asDone);
      if (!isPlainResult(bytes)) return;
      const { isMain, ...bundle } = eventContent.result.parse(JSON.parse(text));
      expect(JSON.stringify({ ...bundle, isMain })).toBe(text);
    }),
    { numRuns: 5000 },
  );
});
