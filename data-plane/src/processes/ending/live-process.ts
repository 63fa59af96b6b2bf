import type { ProcessStarted } from '@holdfast/specs/agent';
import type { TerminalSize } from '@holdfast/specs/public';
import type { ProcessRow } from '../../registry/schema/processes.ts';

/** A process that this replica follows. */
export class LiveProcess {
  readonly id: string;
  readonly sessionId: string;
  /** Resolves when the agent has started it. */
  readonly started: Promise<void>;
  /** Resolves when its end is recorded, with the row as it is then; null: its session is gone. Rejects if the end will not be known here. */
  readonly ended: Promise<ProcessRow | null>;
  private current: ProcessRow;
  private readonly onStart = Promise.withResolvers<void>();
  private readonly onEnd = Promise.withResolvers<ProcessRow | null>();

  constructor(row: ProcessRow) {
    this.id = row.id;
    this.sessionId = row.sessionId;
    this.current = row;
    this.started = this.onStart.promise;
    this.ended = this.onEnd.promise;
    this.ended.catch(() => {});
  }

  get row(): ProcessRow {
    return this.current;
  }

  start({ pid, cwd }: ProcessStarted): void {
    this.current = { ...this.current, pid, cwd };
    this.onStart.resolve();
  }

  resize(terminal: TerminalSize): void {
    this.current = { ...this.current, terminal };
  }

  end(row: ProcessRow | null): void {
    if (row) this.current = row;
    this.onEnd.resolve(row);
  }

  fail(reason: unknown): void {
    this.onEnd.reject(reason);
  }
}
