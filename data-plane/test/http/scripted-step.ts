import { encodeFrame, type FrameType, frameTypes } from '@holdfast/specs/agent';
import { newId, type Step } from '@holdfast/specs/public';
import type { LiveStep } from '../../src/steps/live-step.ts';

/** A step whose frames a test adds one by one. `gone` resolves when the edge says that the client went away. */
export type ScriptedStep = LiveStep & {
  add(type: FrameType, payload: Uint8Array | object, timeMs?: number): void;
  finish(part?: Partial<Step>): Step;
  fail(reason: Error): void;
  readonly gone: Promise<void>;
  /** Resolves when the edge says that its client was answered before the end. */
  readonly left: Promise<void>;
  readonly subscribers: number;
  /** How many frames the edge has taken so far. */
  framesRead(): number;
};

export function scriptedStep(sessionId: string = newId('ses')): ScriptedStep {
  const id = newId('stp');
  const frames: Buffer[] = [];
  let framesRead = 0;
  const watchedFrames = new Proxy(frames, {
    get(target, key) {
      if (typeof key === 'string' && Number(key) >= 0) framesRead = Math.max(framesRead, Number(key) + 1);
      return Reflect.get(target, key);
    },
  });
  const listeners = new Set<() => void>();
  const gone = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const queuedAt = new Date('2026-01-15T10:00:00.000Z');
  let finished: Step | null = null;
  let failure: Error | null = null;
  const announce = () => {
    for (const listener of [...listeners]) listener();
  };
  return {
    id,
    sessionId,
    contextId: 'python',
    actor: 'agent',
    actorName: null,
    queuedAt,
    frames: watchedFrames,
    framesRead: () => framesRead,
    get finished() {
      return finished;
    },
    get failure() {
      return failure;
    },
    get inputRequest() {
      return frames.findLast((frame) => frame[0] === frameTypes.input_request) ?? null;
    },
    get request() {
      return frames.findLast((frame) => asking.includes(frame[0] as number)) ?? null;
    },
    get subscribers() {
      return listeners.size;
    },
    gone: gone.promise,
    left: answered.promise,
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    watched: () => {},
    disconnected: () => gone.resolve(),
    answered: () => answered.resolve(),
    add(type, payload, timeMs = 0) {
      const frame = encodeFrame(type, frames.length + 1, payload);
      frame.writeUInt32BE(timeMs, 8);
      frames.push(frame);
      announce();
    },
    finish(part = {}) {
      finished = { ...finishedStep(id, sessionId), ...part };
      announce();
      return finished;
    },
    fail(reason) {
      failure = reason;
      announce();
    },
  };
}

const asking: readonly number[] = [frameTypes.input_request, frameTypes.operation_request];

const finishedStep = (id: string, sessionId: string): Step => ({
  id,
  sessionId,
  contextId: 'python',
  number: 1,
  epoch: 1,
  contextEpoch: 1,
  actor: 'agent',
  actorName: null,
  language: 'python',
  code: 'print("a")',
  status: 'succeeded',
  outcome: { tag: 'ok' },
  stdout: 'a\n',
  stderr: '',
  truncated: false,
  results: [],
  error: null,
  cause: null,
  artifacts: [],
  proposals: [],
  operations: [],
  job: null,
  executionCount: 1,
  queuedAt: '2026-01-15T10:00:00.000Z',
  startedAt: '2026-01-15T10:00:00.001Z',
  finishedAt: '2026-01-15T10:00:00.250Z',
  durationMs: 249,
  usage: null,
  tokensUsed: null,
  budgetRemaining: null,
});
