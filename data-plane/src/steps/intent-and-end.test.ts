import { expect, test } from 'vitest';
import type { StepRecord } from '../registry/steps/record-steps.ts';
import { FrameIntake } from './frames/frame-intake.ts';
import { lostEnd } from './frames/judge-cut.ts';
import { endRecord } from './intent-and-end.ts';

const end = (frames: Buffer[]) =>
  endRecord({ queuedAt: new Date(0) } as StepRecord, new FrameIntake(0), lostEnd('overran'), frames, new Date(1));

test('the events of a step are one piece of memory if they are few', () => {
  expect(end([Buffer.from('ab'), Buffer.from('c')])).toMatchObject({ events: Buffer.from('abc') });
});

test('large events are not copied, and frames that are dropped later stay in the record', () => {
  const frames = [Buffer.alloc(200_000), Buffer.alloc(200_000)];
  const [first, second] = frames;
  const { events, longEvents } = end(frames);
  frames.length = 0;
  expect(events).toHaveLength(0);
  expect(longEvents).toHaveLength(2);
  expect([longEvents?.[0] === first, longEvents?.[1] === second]).toEqual([true, true]);
});
