import type { Frame } from '@holdfast/specs/agent';

/** Frames from a request that gives them, for a reader that takes them: the request waits until the reader has come back for more. */
export class FrameFlow {
  private waiting: { frames: readonly Frame[]; taken: () => void } | null = null;
  private outcome: { error: unknown } | 'ended' | null = null;
  private wake: () => void = () => {};

  /** Resolves when the frames before these were taken. There is one chunk of them at a time. */
  push(frames: readonly Frame[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting = { frames, taken: resolve };
    this.wake();
    return promise;
  }

  /** Nothing follows. A request that failed says why. */
  end(error?: unknown): void {
    this.outcome ??= error === undefined ? 'ended' : { error };
    this.wake();
  }

  /** The next frames; null at the end. Throws the error with which the request failed. */
  async take(): Promise<readonly Frame[] | null> {
    while (!this.waiting && !this.outcome) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.wake = resolve;
      await promise;
    }
    const { waiting } = this;
    this.waiting = null;
    if (waiting) {
      // The reader has what came before, so the request may go on while it looks at these.
      waiting.taken();
      return waiting.frames;
    }
    if (this.outcome !== 'ended') throw (this.outcome as { error: unknown }).error;
    return null;
  }
}
