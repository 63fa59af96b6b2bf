import { isLong } from '../reading/json-slices.ts';
import type { LiveStep } from '../steps/live-step.ts';
import type { StepAnswer } from '../steps/step-from-row.ts';
import type { JoinedStep } from './shared-steps.ts';

/** Frames are given to the reader in portions of about this size. */
const portionBytes = 64 * 1024;

/** The next events of a step: frames, and behind the last of them its end. */
export type StepEvents = {
  step: OpenStep;
  frames: readonly Buffer[];
  /** Null: more will come. */
  finished: StepAnswer | null;
};

type Subject = Pick<LiveStep, 'id' | 'sessionId' | 'actor' | 'actorName' | 'queuedAt'>;

type Opening = {
  number: number;
  /** The reader has the events up to this seq. */
  seenSeq: number;
  onChange: () => void;
};

/** A step of which one reader has not got everything. */
export class OpenStep {
  readonly number: number;
  readonly seenSeq: number;
  readonly subject: Subject;
  private readonly leave: () => void;
  private readonly unsubscribe: () => void;
  private live: LiveStep | null;
  private cursor = 0;

  constructor({ live, leave }: JoinedStep, { number, seenSeq, onChange }: Opening) {
    const { id, sessionId, actor, actorName, queuedAt } = live;
    this.number = number;
    this.seenSeq = seenSeq;
    this.subject = { id, sessionId, actor, actorName, queuedAt };
    this.live = live;
    this.leave = leave;
    this.unsubscribe = live.subscribe(() => {
      // The frames of a long step must not stay in memory until the slowest reader has taken them: the registry has them by now.
      if (live.finished && isLong(live.finished)) this.close();
      onChange();
    });
  }

  /** The reader has to join the step anew. */
  get isClosed(): boolean {
    return this.live === null;
  }

  /** The reason for which the end will not be known here, or null. */
  get failure(): Error | null {
    return this.live?.failure ?? null;
  }

  /** The next events, or null if there are none now. */
  take(): StepEvents | null {
    const { frames = [], finished = null } = this.live ?? {};
    const first = this.cursor;
    for (let bytes = 0; bytes < portionBytes && this.cursor < frames.length; this.cursor++) {
      bytes += (frames[this.cursor] as Buffer).length;
    }
    const isAtEnd = this.cursor === frames.length;
    if (first === this.cursor && !(isAtEnd && finished)) return null;
    return { step: this, frames: frames.slice(first, this.cursor), finished: isAtEnd ? finished : null };
  }

  close(): void {
    this.live = null;
    this.unsubscribe();
    this.leave();
  }
}
