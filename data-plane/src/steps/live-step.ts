import { frameTypes } from '@holdfast/specs/agent';
import type { Actor, CodeLanguage, JobProgram, Step } from '@holdfast/specs/public';

/** What is known of a step before it is sent. */
export type StepStart = {
  readonly id: string;
  readonly sessionId: string;
  /** null for a job. */
  readonly contextId: string | null;
  readonly language: CodeLanguage;
  readonly code: string;
  /** null for what a context runs. */
  readonly job: JobProgram | null;
  readonly actor: Actor;
  readonly epoch: number;
  readonly timeoutMs: number;
  readonly queuedAt: Date;
};

/** A step that runs or has run, seen as a log of frames (specs/src/agent/frames.ts) that any number of readers follow by position. */
export type LiveStep = Pick<StepStart, 'id' | 'sessionId' | 'contextId' | 'actor' | 'queuedAt'> & {
  /** The frames that may be shown, whole and in order; `done` is not among them. */
  readonly frames: readonly Buffer[];
  /** The step once its end is recorded; set once, after the last frame. */
  readonly finished: Step | null;
  /** The last frame that asked for input, whether or not it was answered. */
  readonly inputRequest: Buffer | null;
  /** Calls back after frames were added or `finished` was set. Returns what ends it. */
  subscribe(onChange: () => void): () => void;
  /** A reader went away before the end. */
  disconnected(): void;
  /** A reader got its answer before the end and reads no more. */
  answered(): void;
};

/** The writing side of a live step. */
export type LiveStepLog = LiveStep & {
  readonly start: StepStart;
  /** All frames, shown or not. */
  readonly received: readonly Buffer[];
  /** Resolves with the first frame, shown or not. */
  readonly begun: Promise<void>;
  append(frames: readonly Buffer[]): void;
  /** The registry knows the step: from now on what is received is shown. */
  show(): void;
  finish(step: Step): void;
};

/**
 * A new log. Frames are received at once and shown only after `show`, so that nothing a client ever saw can be unknown to
 * the registry.
 */
export function createLiveStep(
  start: StepStart,
  { onDisconnected, onAnswered }: { onDisconnected?: () => void; onAnswered?: () => void } = {},
): LiveStepLog {
  const received: Buffer[] = [];
  const listeners = new Set<() => void>();
  let shown = false;
  let finished: Step | null = null;
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
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    disconnected: () => {
      if (!finished) onDisconnected?.();
    },
    answered: () => onAnswered?.(),
  };
}

/** The same step for somebody who only reads along: going away is none of the step's business. */
export const readerOf = (live: LiveStep): LiveStep =>
  Object.create(live, { disconnected: { value: () => {} }, answered: { value: () => {} } }) as LiveStep;
