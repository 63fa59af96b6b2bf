import { encodeFrame, type Frame, type FrameType, frameAt } from '@holdfast/specs/agent';
import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { createByteBudget } from '../agent/byte-budget.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { intentRecord } from './intent-and-end.ts';
import type { StepStart } from './live-step.ts';
import { type SendDependencies, sendStep } from './send-step.ts';

const start: StepStart = {
  id: newId('stp'),
  sessionId: newId('ses'),
  contextId: 'python',
  language: 'python',
  code: '1',
  job: null,
  actor: 'agent',
  epoch: 1,
  timeoutMs: 1000,
  queuedAt: new Date(),
};
const route = { sessionId: start.sessionId, sandboxUid: 'uid', epoch: 1 } as Route;

const frame = (type: FrameType, seq: number, payload: object) => frameAt(encodeFrame(type, seq, payload), 0) as Frame;
const started = frame('started', 1, { contextEpoch: 1, executionCount: 1 });
const done = frame('done', 2, {
  status: 'succeeded',
  contextEpoch: 1,
  executionCount: 1,
  durationMs: 1,
  stateSurvived: true,
  cause: null,
});

test('shows nothing of a step before the registry has its row', async () => {
  const recorded = Promise.withResolvers<number>();
  const mayEnd = Promise.withResolvers<void>();
  const running: Promise<unknown>[] = [];
  const deps = {
    agents: { call: async () => {} },
    recorder: { end: async () => 1 },
    acknowledgements: { add: () => {} },
    collectChanges: () => null,
    liveSteps: new Map(),
    background: (work: Promise<unknown>) => running.push(work),
    graceMs: 1000,
    onEnd: () => {},
    byteBudget: createByteBudget({ replicaBytesMax: 2 ** 27 }),
  } as unknown as SendDependencies;
  const intent = intentRecord(start, { replicaId: 'rep', mayHaveRow: false });
  const live = await sendStep(deps, {
    start,
    route,
    admission: { kind: 'go', intent, recorded: recorded.promise, withdraw: async () => {} },
    send: async (onFrames) => {
      onFrames([started], 0);
      await mayEnd.promise;
      onFrames([done], 0);
    },
  });
  expect(live.frames).toEqual([]);
  recorded.resolve(1);
  await recorded.promise;
  expect(live.frames).toHaveLength(1);
  mayEnd.resolve();
  await Promise.all(running);
  expect(live.finished).toMatchObject({ id: start.id, status: 'succeeded', number: 1 });
  expect(deps.liveSteps.size).toBe(0);
});
