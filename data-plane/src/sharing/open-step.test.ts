import { encodeFrame } from '@holdfast/specs/agent';
import { newId, type Step } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { LiveStepLog, type StepStart } from '../steps/live-step.ts';
import type { StepAnswer } from '../steps/step-from-row.ts';
import { OpenStep } from './open-step.ts';

const start: StepStart = {
  id: newId('stp'),
  sessionId: newId('ses'),
  contextId: 'python',
  language: 'python',
  code: '1',
  job: null,
  actor: 'agent',
  actorName: null,
  keyId: null,
  epoch: 1,
  timeoutMs: 1000,
  queuedAt: new Date(0),
};
const output = (seq: number, length: number) => encodeFrame('stdout', seq, Buffer.alloc(length));

function openedStep() {
  const live = new LiveStepLog(start);
  live.show();
  let left = 0;
  const step = new OpenStep({ live, leave: () => (left += 1) }, { number: 1, seenSeq: 0, onChange: () => {} });
  return { live, step, left: () => left };
}

test('a reader gets the frames in portions, and the end behind the last of them', () => {
  const { live, step } = openedStep();
  live.append([output(1, 60_000), output(2, 60_000), output(3, 60_000)]);
  expect(step.take()).toMatchObject({ frames: { length: 2 }, finished: null });
  live.finish({ id: start.id } as Step);
  expect(step.take()).toMatchObject({ frames: { length: 1 }, finished: { id: start.id } });
});

test('a reader that is behind when a long step ends lets go of its frames', () => {
  const { live, step, left } = openedStep();
  live.append([output(1, 100_000), output(2, 400_000)]);
  expect(step.take()).toMatchObject({ frames: { length: 1 } });
  live.finish({ isLong: true } as StepAnswer);
  expect([step.isClosed, step.take(), left()]).toEqual([true, null, 1]);
});
