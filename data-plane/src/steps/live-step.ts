import { frameTypes } from '@holdfast/specs/agent';
import type { Actor, CodeLanguage, Expressions, JobProgram } from '@holdfast/specs/public';
import type { StepAnswer } from './step-from-row.ts';

/** The part of a step that is known before it is sent. */
export type StepStart = {
  readonly id: string;
  readonly sessionId: string;
  /** Null for a job. */
  readonly contextId: string | null;
  readonly language: CodeLanguage;
  readonly code: string;
  /** Whether the history of the session does not have it. */
  readonly isSilent?: boolean;
  readonly expressions?: Expressions | null;
  /** The memory of the request beside the code, in bytes. */
  readonly requestBytes?: number;
  /** Null for a step that a context runs. */
  readonly job: JobProgram | null;
  readonly actor: Actor;
  /** The API key of the request, or null without one. */
  readonly keyId: string | null;
  readonly actorName: string | null;
  readonly epoch: number;
  readonly timeoutMs: number;
  readonly queuedAt: Date;
  /** The step whose code runs this one. */
  readonly parentStepId?: string | null;
};

/** A step as a log of frames (specs/src/agent/frames.ts), which any number of readers follow by position. */
export type LiveStep = Pick<StepStart, 'id' | 'sessionId' | 'contextId' | 'actor' | 'actorName' | 'queuedAt'> & {
  /** The frames that clients may see, whole and in order, without `done`. A long step that was recorded has the others. */
  readonly frames: readonly Buffer[];
  /** The step after its end was recorded. Set once, after the last frame. */
  readonly finished: StepAnswer | null;
  /** The reason for which the end will not be known here, or null. A reader ends its answer with it: nothing more will come. */
  readonly failure: Error | null;
  /** The last frame that asked for input, whether or not it was answered. */
  readonly inputRequest: Buffer | null;
  /** The last thing that the step or one of its own steps asked for: input, or an operation of the host. It changes with each. */
  readonly request: object | null;
  /** Calls back after frames were added, or `finished` or `failure` was set. Returns a function that ends the subscription. */
  subscribe(onChange: () => void): () => void;
  /** A reader wants to see the frames before the end. */
  watched(): void;
  /** A reader left before the end. */
  disconnected(): void;
  /** A reader got its answer before the end and stops reading. */
  answered(): void;
};

type Readers = { onBegun?: () => void; onWatched?: () => void; onDisconnected?: () => void; onAnswered?: () => void };

/**
 * A live step with its writing side. Frames are received at once and shown only after `show`, so that a client never sees a step which the
 * registry does not know.
 */
export class LiveStepLog implements LiveStep {
  readonly start: StepStart;
  readonly id: string;
  readonly sessionId: string;
  readonly contextId: string | null;
  readonly actor: Actor;
  readonly actorName: string | null;
  readonly queuedAt: Date;
  /** All frames, whether or not clients may see them yet. */
  readonly received: Buffer[] = [];
  finished: StepAnswer | null = null;
  failure: Error | null = null;
  private readonly readers: Readers;
  private readonly listeners = new Set<() => void>();
  private readonly begin = Promise.withResolvers<void>();
  /** Whether clients may see the frames. */
  isShown = false;
  private lastInputRequest: Buffer | null = null;
  private lastRequest: object | null = null;

  constructor(start: StepStart, readers: Readers = {}) {
    this.start = start;
    this.id = start.id;
    this.sessionId = start.sessionId;
    this.contextId = start.contextId;
    this.actor = start.actor;
    this.actorName = start.actorName;
    this.queuedAt = start.queuedAt;
    this.readers = readers;
  }

  /** Resolves with the first frame, whether or not clients may see it yet. */
  get begun(): Promise<void> {
    return this.begin.promise;
  }

  get frames(): readonly Buffer[] {
    return this.isShown ? this.received : [];
  }

  get inputRequest(): Buffer | null {
    return this.isShown ? this.lastInputRequest : null;
  }

  get request(): object | null {
    return this.isShown ? this.lastRequest : null;
  }

  append(frames: readonly Buffer[]): void {
    const isFirst = this.received.length === 0;
    for (const frame of frames) {
      this.received.push(frame);
      if (frame[0] === frameTypes.input_request) this.lastInputRequest = this.lastRequest = frame;
      else if (frame[0] === frameTypes.operation_request) this.lastRequest = frame;
    }
    if (isFirst) {
      this.begin.resolve();
      this.readers.onBegun?.();
    }
    if (this.isShown) this.changed();
  }

  /** A step that this one runs asks for something. */
  noteRequest(request: object): void {
    this.lastRequest = request;
    if (this.isShown) this.changed();
  }

  /** Drops the frames after the first `bytesMax` bytes. Readers who have not seen them will not. */
  cut(bytesMax: number): void {
    let bytes = 0;
    const beyond = this.received.findIndex((frame) => {
      bytes += frame.length;
      return bytes > bytesMax;
    });
    if (beyond >= 0) this.received.length = beyond;
  }

  /** Replaces the memory of the frames by `events`, which holds the same frames one after the other. */
  moveTo(events: Buffer): void {
    let end = 0;
    for (const [index, frame] of this.received.entries()) {
      this.received[index] = events.subarray(end, end + frame.length);
      end += frame.length;
    }
  }

  /** Called when the registry has the step: from now on clients may see the frames. */
  show(): void {
    if (this.isShown) return;
    this.isShown = true;
    this.changed();
  }

  /** Resolves when the registry has the step, or after this time: a row that cannot be written is written with the end. */
  untilShown(ms: number): Promise<void> {
    if (this.isShown) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = () => {
        clearTimeout(timer);
        unsubscribe();
        resolve();
      };
      const timer = setTimeout(settle, ms);
      const unsubscribe = this.subscribe(settle);
    });
  }

  finish(step: StepAnswer): void {
    this.isShown = true;
    this.finished = step;
    this.changed();
  }

  fail(reason: Error): void {
    this.failure = reason;
    this.changed();
  }

  subscribe(onChange: () => void): () => void {
    this.listeners.add(onChange);
    return () => this.listeners.delete(onChange);
  }

  watched(): void {
    if (!this.isShown) this.readers.onWatched?.();
  }

  disconnected(): void {
    if (!this.finished) this.readers.onDisconnected?.();
  }

  answered(): void {
    this.readers.onAnswered?.();
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}

/** The same step for an additional reader, whose leaving has no effect on the step. */
export const readerOf = (live: LiveStep): LiveStep =>
  Object.create(live, { disconnected: { value: () => {} }, answered: { value: () => {} } }) as LiveStep;
