import type { Cause, KernelSymbol, Language, Result, StepError } from '@holdfast/specs';

/** Where a kernel runs: `cwd` is absolute, `env` is all that its process gets besides our own few variables. */
export type KernelOptions = {
  language: Language;
  cwd: string;
  env: Record<string, string>;
  /** Output that belongs to no step (late threads, background children). Bounded by the receiver. */
  onBackground: (stream: Stream, bytes: Buffer) => void;
};

export type Stream = 'stdout' | 'stderr';

/** Receives what a step brings forth, in order per stream. Bytes never contain an end mark or half a UTF-8 character before the end. */
export type StepSink = {
  output(stream: Stream, bytes: Buffer): void;
  result(result: Result): void;
  error(error: StepError): void;
};

/** `died`: the kernel's process ended in the step; `cause` says how. */
export type KernelStepEnd =
  | { status: 'succeeded' | 'failed' | 'interrupted'; streamIncomplete: boolean }
  | { status: 'died'; streamIncomplete: boolean; cause: Cause };

/** The process that holds a context. One step at a time; the caller queues. */
export type Kernel = {
  readonly pid: number;
  /** Settles when it can take a step; rejects when it dies before. */
  readonly ready: Promise<void>;
  /** Resolves with the cause once the process has ended and its tree is swept. Never rejects. */
  readonly exited: Promise<Cause>;
  /** Runs a step to its end: `done` and both end marks, or the kernel's death. Never rejects. */
  execute(step: { stepId: string; code: string }, sink: StepSink): Promise<KernelStepEnd>;
  /** Asks the running step to stop, in the language's own way. Nothing happens where none runs. */
  interrupt(): void;
  /** The names that steps have defined. Call only between steps. Rejects when the kernel dies. */
  symbols(): Promise<KernelSymbol[]>;
  /** SIGKILL to the whole tree; resolves when it is gone. */
  kill(): Promise<void>;
};

/** Starts a kernel process. Throws only where the interpreter cannot be started at all. */
export type StartKernel = (options: KernelOptions) => Kernel;
