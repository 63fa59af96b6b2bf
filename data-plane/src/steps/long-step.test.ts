import { encodeFrame, frameAt } from '@holdfast/specs/agent';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonParts, jsonSlices } from '../reading/json-slices.ts';
import { receivedLog } from './frame-log.ts';
import { FrameIntake } from './frames/frame-intake.ts';
import { longStep } from './long-step.ts';
import { type StepState, stepView } from './step-view.ts';

const start = {
  id: 'stp_01kaf3y2bw4x5y6z7a8b9cdefg',
  sessionId: 'ses_01kaf3xq5t7e8m9n0p1r2s3t4v',
  contextId: 'python',
  language: 'python',
  code: '',
  job: null,
  actor: 'agent',
  actorName: null,
  epoch: 1,
  queuedAt: new Date(0),
} as const;
const state = { status: 'succeeded', startedAt: null, finishedAt: new Date(1), exitCode: null } as unknown as StepState;

const ids = fc.constantFrom(undefined, 'a', 'b', '"\\\u2028é', '\\","isMain":false');
const bundle = fc.record({
  data: fc.record({ 'text/plain': fc.string({ unit: 'binary', maxLength: 40 }) }),
  metadata: fc.constantFrom({}, { displayId: 'a' }),
});
const result = fc.record({ type: fc.constant('result' as const), displayId: ids, isMain: fc.boolean(), bundle });
const update = fc.record({ type: fc.constant('result_update' as const), displayId: ids, bundle });
const long = fc.constantFrom(0, 0, 3000);

test('a step that is read in parts has the same results as one that is made at once, with all updates', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.oneof(result, update), long)),
      fc.integer({ min: 16, max: 5000 }),
      async (shown, size) => {
        const frames = shown
          .filter(([{ type, displayId }]) => type === 'result' || displayId !== undefined)
          .map(([{ type, displayId, bundle, ...rest }, length], index) => {
            const data = { ...bundle.data, 'x/y': 'z'.repeat(length) };
            const payload = { metadata: bundle.metadata, data, ...rest, ...(displayId !== undefined && { displayId }) };
            const frame = frameAt(encodeFrame(type, index + 1, payload), 0);
            if (!frame) throw new Error('a frame is cut off');
            return frame;
          });
        const taken = new FrameIntake(0).take(frames);
        const whole = receivedLog(taken);
        const log: typeof whole = {
          bytes: whole.bytes,
          async *read(span, reader) {
            for await (const piece of whole.read(span, reader)) {
              for (let at = 0; at < piece.length; at += size) yield piece.subarray(at, at + size);
            }
          },
        };
        const reader = { tenant: 'acme', signal: new AbortController().signal };
        const opened = await longStep({ start, state, log, isReplayed: true }).open(reader);
        let json = '';
        for await (const slice of jsonSlices(opened)) json += slice;
        expect(JSON.parse(json).results).toEqual(stepView(start, state, taken).results);
      },
    ),
    { numRuns: 300 },
  );
});

const framesOf = (type: 'stdout' | 'stderr' | 'result', ...payloads: (Buffer | object)[]) =>
  payloads.map((payload, index) => encodeFrame(type, index + 1, payload));

function wholeOf(received: Buffer[]) {
  const step = longStep({ start, state, log: receivedLog(received), isReplayed: false, received });
  // Only a step for whose copy there is memory is made.
  expect(step.whole()).toBe(null);
  step.makeWhole();
  return step.whole();
}

test('a step that is made whole is the one that is made of text, wherever its output is cut', () => {
  const output = Buffer.alloc(1_000_000, Buffer.from('é "quoted" 😀 \\ \n\0'));
  const pieces = [output.subarray(0, 65_521), output.subarray(65_521), Buffer.from([0x80])];
  const frames = [
    ...framesOf('stdout', ...pieces),
    ...framesOf('stderr', Buffer.from('careful')),
    ...framesOf('result', { data: {}, metadata: {}, isMain: true }),
  ];
  const json = Buffer.concat(jsonParts(wholeOf(frames) as object)).toString();
  expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(stepView(start, state, frames))));
});

test.each([
  ['is longer than two mebibytes', framesOf('stdout', Buffer.alloc(2 * 1024 * 1024, 'x'))],
  ['takes several times its memory as JSON', framesOf('stdout', Buffer.alloc(1_000_000, 1))],
  [
    'has a large result',
    framesOf('result', { data: { 'text/plain': 'x'.repeat(300_000) }, metadata: {}, isMain: true }),
  ],
])('a step that %s is made in parts', (_, frames) => {
  expect(wholeOf(frames)).toBe(null);
});
