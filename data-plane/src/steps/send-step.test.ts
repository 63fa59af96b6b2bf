import { encodeFrame, type Frame, type FrameType, frameAt } from '@holdfast/specs/agent';
import { newId } from '@holdfast/specs/public';
import { expect, test, vi } from 'vitest';
import type { OnFrames } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import { createByteBudget } from '../agent/byte-budget.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import type { AdmittedStep } from './admit-step.ts';
import { intentRecord } from './intent-and-end.ts';
import type { StepStart } from './live-step.ts';
import { SandboxReplaced, type SendDependencies, sendStep } from './send-step.ts';

const start: StepStart = {
  id: newId('stp'),
  sessionId: newId('ses'),
  contextId: 'python',
  language: 'python',
  code: '1',
  job: null,
  actor: 'agent',
  keyId: null,
  actorName: null,
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

/** A replica whose recorder numbers steps; `running` is what it does in the background. */
function replica(part: object = {}) {
  const running: Promise<unknown>[] = [];
  const deps = {
    agents: { call: async () => {}, stream: async () => {} },
    routes: { refresh: async () => route, cached: () => route },
    recorder: { end: async () => 1 },
    acknowledgements: { add: () => {} },
    collectChanges: () => null,
    liveSteps: new Map(),
    onRecorded: () => {},
    background: (work: Promise<unknown>) => running.push(work.catch(() => {})),
    hint: () => {},
    graceMs: 1000,
    onEnd: () => {},
    byteBudget: createByteBudget({ replicaBytesMax: 2 ** 27 }),
    ...part,
  } as unknown as SendDependencies;
  return { deps, running };
}

const intent = intentRecord(start, { replicaId: 'rep', mayHaveRow: false });
const never = new Promise<never>(() => {});

/** `withdrawn` says whether the step's row was taken back. */
function admitted(part: Partial<AdmittedStep> = {}) {
  const state = { withdrawn: false };
  const withdraw = async () => {
    state.withdrawn = true;
  };
  const admission: AdmittedStep = { kind: 'go', intent, recorded: Promise.resolve(1), withdraw, ...part };
  return { admission, state };
}

const fails = (error: Error) => async () => {
  throw error;
};

test('shows nothing of a step before the registry has its row', async () => {
  const recorded = Promise.withResolvers<number>();
  const mayEnd = Promise.withResolvers<void>();
  const { deps, running } = replica();
  const { admission } = admitted({ recorded: recorded.promise });
  const live = await sendStep(deps, {
    start,
    route,
    admission,
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

test('shows a step that gets no row only with its recorded end', async () => {
  const mayEnd = Promise.withResolvers<void>();
  const { deps, running } = replica();
  const { admission } = admitted({ recorded: Promise.resolve(null) });
  const send = async (onFrames: OnFrames) => {
    onFrames([started], 0);
    await mayEnd.promise;
    onFrames([done], 0);
  };
  const live = await sendStep(deps, { start, route, admission, send });
  await admission.recorded;
  expect(live.frames).toEqual([]);
  mayEnd.resolve();
  await Promise.all(running);
  expect(live.frames).toHaveLength(1);
});

test('a failure after the first frame ends the wait of every reader, and nothing is acknowledged', async () => {
  const acknowledged: unknown[] = [];
  const { deps, running } = replica({
    recorder: { end: fails(new Error('broken')) },
    acknowledgements: { add: (...ids: unknown[]) => acknowledged.push(ids) },
  });
  const { admission, state } = admitted();
  const send = async (onFrames: OnFrames) => void (await onFrames([started, done], 0));
  const live = await sendStep(deps, { start, route, admission, send });
  await Promise.all(running);
  expect(live).toMatchObject({
    finished: null,
    failure: { slug: 'internal', options: { cause: { message: 'broken' } } },
  });
  expect([acknowledged, state.withdrawn, deps.liveSteps.size]).toEqual([[], false, 0]);
});

test('a step that may have started is not withdrawn, however it fails', async () => {
  const { deps } = replica({ routes: { refresh: fails(new TypeError('a fault')) } });
  const { admission, state } = admitted();
  const send = fails(new AgentError('cut', 'the connection was cut'));
  const sent = sendStep(deps, { start, route, admission, send });
  await expect(sent).rejects.toMatchObject({ slug: 'internal', options: { cause: { message: 'a fault' } } });
  expect(state.withdrawn).toBe(false);
});

test('a client learns why its step did not start, although its row cannot be withdrawn now', async () => {
  vi.useFakeTimers();
  try {
    const { deps } = replica();
    const { admission } = admitted({ withdraw: () => never });
    const send = fails(new AgentError('refused', 'busy', { slug: 'context-busy' }));
    const refused = expect(sendStep(deps, { start, route, admission, send })).rejects.toMatchObject({
      slug: 'context-busy',
    });
    await vi.advanceTimersByTimeAsync(2000);
    await refused;
  } finally {
    vi.useRealTimers();
  }
});

test('a step that did not start because its sandbox was replaced can be sent to the next one', async () => {
  const gone = new AgentError('undelivered', 'connection refused');
  const { deps } = replica({ routes: { refresh: async () => route, cached: () => ({ ...route, epoch: 2 }) } });
  const { admission, state } = admitted();
  await expect(sendStep(deps, { start, route, admission, send: fails(gone) })).rejects.toBeInstanceOf(SandboxReplaced);
  expect(state.withdrawn).toBe(true);
  const { deps: same } = replica();
  await expect(sendStep(same, { start, route, ...admitted(), send: fails(gone) })).rejects.toMatchObject({
    slug: 'sandbox-unreachable',
  });
});

test('a step whose output takes too much of the memory ends as lost, and is read no further', async () => {
  const condemned: unknown[] = [];
  const condemn = async (_: Route, because: unknown) => void condemned.push(because);
  const { deps, running } = replica({ byteBudget: createByteBudget({ replicaBytesMax: 20_000 }), condemn });
  const output = frameAt(encodeFrame('stdout', 2, Buffer.alloc(30_000)), 0) as Frame;
  const send = (onFrames: OnFrames, signal: AbortSignal) =>
    new Promise<void>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      void onFrames([started, output], 0);
    });
  const { admission } = admitted();
  const live = await sendStep(deps, { start, route, admission, send });
  await Promise.all(running);
  expect(live.finished).toMatchObject({ status: 'lost', truncated: true });
  expect(condemned).toHaveLength(1);
});
