import { frameTypes } from '@holdfast/specs/agent';
import type { Actor, CodeLanguage, JobProgram } from '@holdfast/specs/public';
import type { StepAnswer } from './step-from-row.ts';

/** The part of a step that is known before it is sent. */
export type StepStart = {
  readonly id: string;
  readonly sessionId: string;
  /** Null for a job. */
  readonly contextId: string | null;
  readonly language: CodeLanguage;
  readonly code: string;
  /** The memory of the request beside the code, in bytes. */
  readonly requestBytes?: number;
  /** Null for a step that a context runs. */
  readonly job: JobProgram | null;
  readonly actor: Actor;
  readonly epoch: number;
  readonly timeoutMs: number;
  readonly queuedAt: Date;
};

/** A step as a log of frames (specs/src/agent/frames.ts), which any number of readers follow by position. */
export type LiveStep = Pick<StepStart, 'id' | 'sessionId' | 'contextId' | 'actor' | 'queuedAt'> & {
  /** The frames that clients may see, whole and in order, without `done`. A long step that was recorded has the others. */
  readonly frames: readonly Buffer[];
  /** The step after its end was recorded. Set once, after the last frame. */
  readonly finished: StepAnswer | null;
  /** The reason for which the end will not be known here, or null. A reader ends its answer with it: nothing more will come. */
  readonly failure: Error | null;
  /** The last frame that asked for input, whether or not it was answered. */
  readonly inputRequest: Buffer | null;
  /** Calls back after frames were added, or `finished` or `failure` was set. Returns a function that ends the subscription. */
  subscribe(onChange: () => void): () => void;
  /** A reader wants to see the frames before the end. */
  watched(): void;
  /** A reader left before the end. */
  disconnected(): void;
  /** A reader got its answer before the end and stops reading. */
  answered(): void;
};

/** A live step with its writing side. */
export type LiveStepLog = LiveStep & {
  readonly start: StepStart;
  /** All frames, whether or not clients may see them yet. */
  readonly received: readonly Buffer[];
  /** Resolves with the first frame, whether or not clients may see it yet. */
  readonly begun: Promise<void>;
  append(frames: readonly Buffer[]): void;
  /** Drops the frames after the first `bytesMax` bytes. Readers who have not seen them will not. */
  cut(bytesMax: number): void;
  /** Replaces the memory of the frames by `events`, which holds the same frames one after the other. */
  moveTo(events: Buffer): void;
  /** Called when the registry has the step: from now on clients may see the frames. */
  show(): void;
  finish(step: StepAnswer): void;
  fail(reason: Error): void;
};

/** Frames are received at once and shown only after `show`, so that a client never sees a step which the registry does not know. */
export function createLiveStep(
  start: StepStart,
  {
    onWatched,
    onDisconnected,
    onAnswered,
  }: { onWatched?: () => void; onDisconnected?: () => void; onAnswered?: () => void } = {},
): LiveStepLog {
  const received: Buffer[] = [];
  const listeners = new Set<() => void>();
  let shown = false;
  let finished: StepAnswer | null = null;
  let failure: Error | null = null;
  let inputRequest: Buffer | null = null;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  return {
    start,
    id: start.id,
    sessionId: start.sessionId,
    contextId: start.contextId,
    actor: start.actor,
    queuedAt: start.queuedAt,
    received,
    begun,
    get frames() {
      return shown ? received : [];
    },
    get finished() {
      return finished;
    },
    get failure() {
      return failure;
    },
    get inputRequest() {
      return shown ? inputRequest : null;
    },
    append(frames) {
      for (const frame of frames) {
        received.push(frame);
        if (frame[0] === frameTypes.input_request) inputRequest = frame;
      }
      begin();
      if (shown) changed();
    },
    cut(bytesMax) {
      let bytes = 0;
      const beyond = received.findIndex((frame) => {
        bytes += frame.length;
        return bytes > bytesMax;
      });
      if (beyond >= 0) received.length = beyond;
    },
    moveTo(events) {
      let end = 0;
      for (const [index, frame] of received.entries()) {
        received[index] = events.subarray(end, end + frame.length);
        end += frame.length;
      }
    },
    show() {
      if (shown) return;
      shown = true;
      if (received.length > 0) changed();
    },
    finish(step) {
      shown = true;
      finished = step;
      changed();
    },
    fail(reason) {
      failure = reason;
      changed();
    },
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    watched: () => {
      if (!shown) onWatched?.();
    },
    disconnected: () => {
      if (!finished) onDisconnected?.();
    },
    answered: () => onAnswered?.(),
  };
}

/** The same step for an additional reader, whose leaving has no effect on the step. */
export const readerOf = (live: LiveStep): LiveStep =>
  Object.create(live, { disconnected: { value: () => {} }, answered: { value: () => {} } }) as LiveStep;
