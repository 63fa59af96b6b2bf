import type {
  Cause,
  CommMessage,
  Completions,
  ContextLimits,
  ExpressionResult,
  Expressions,
  Inspection,
  KernelSymbol,
  Language,
  ParsedCode,
  RecoveryReport,
  ResourceUsage,
  Result,
  ResultUpdate,
  StepError,
} from '@holdfast/specs/public';
import type { ProgramCall } from './operations/operations-socket.ts';

/** The settings of one kernel: `cwd` is absolute; `env` is the whole environment of its process apart from our own few variables. */
export type KernelOptions = {
  language: Language;
  cwd: string;
  env: Record<string, string>;
  limits?: ContextLimits | undefined;
  /** Whether its code may not start programs. */
  isConfined?: boolean | undefined;
  /**
   * Receives output that came after the end of its step (from threads or child processes): bytes of a stream, or text that the kernel
   * itself reported. `stepId` is null before the first step. The receiver limits the amount.
   */
  onBackground: (stream: Stream, output: Buffer | string, stepId: string | null) => void;
  /** Receives the comm messages of threads and tasks whose step has ended. */
  onBackgroundComm?: (message: CommMessage, stepId: string | null) => void;
};

export type Stream = 'stdout' | 'stderr';

export type KernelStep = {
  stepId: string;
  code: string;
  /** A message of a front end, which the step handles instead of code. */
  comm?: CommMessage | undefined;
  /** Variables for this step alone. */
  env?: Record<string, string> | undefined;
  /** Whether its code may ask for input. */
  stdin?: boolean | undefined;
  /** Whether the step leaves no trace in the histories of its language. Its number is none of the others'. */
  isSilent?: boolean | undefined;
  /** Evaluated after the code, if it succeeds. */
  expressions?: Expressions | undefined;
  /** Whether the step only tests the kernel, and does not count: its number is 0. */
  isProbe?: boolean | undefined;
};

export type InputRequest = { prompt: string; password: boolean };

/**
 * Receives the output and messages of a step, in the order in which the kernel made them. Bytes never contain a mark, and half a UTF-8
 * character only at the end.
 */
export type StepSink = {
  output(stream: Stream, bytes: Buffer): void;
  result(result: Result): void;
  /** Other content for the results with its `displayId`, also those of earlier steps. */
  resultUpdate?(update: ResultUpdate): void;
  error(error: StepError): void;
  /** The value of an expression of the step. */
  expression?(name: string, value: ExpressionResult): void;
  /** A message to the front end's side of a comm. */
  comm(message: CommMessage): void;
  /** A front end is to clear the output so far; it stays part of the step. `wait`: when the next output comes. */
  outputCleared?(clearing: { wait: boolean }): void;
  /** The code waits for input: answer each call with one `Kernel.input`. */
  inputRequest(request: InputRequest): void;
  /** The code calls an operation. */
  operationCall?(call: ProgramCall): void;
};

/** `died`: the kernel's process ended during the step; `cause` says how. `exitCode`: the code asked to exit, and the kernel lives on. */
export type KernelStepEnd =
  | {
      status: 'succeeded' | 'failed' | 'interrupted';
      streamIncomplete: boolean;
      exitCode?: number;
      usage?: ResourceUsage | undefined;
    }
  | { status: 'died'; streamIncomplete: boolean; cause: Cause };

/** Code with a cursor. `cursor` counts Unicode characters, as do the positions in the answers. */
export type KernelCursor = { code: string; cursor: number };

/** The process that holds a context. It runs one step at a time; the caller queues. */
export type Kernel = {
  readonly pid: number;
  /** Resolves when the kernel can run a step; rejects if it dies before that. */
  readonly ready: Promise<void>;
  /** Resolves with the cause once the process has ended and none of its descendants is left. Never rejects. */
  readonly exited: Promise<Cause>;
  /** Runs a step to its end: `done` and both end marks, or the death of the kernel. Never rejects. */
  execute(step: KernelStep, sink: StepSink): Promise<KernelStepEnd>;
  /** Answers a request for input: a line without its newline, or null for the end of input. Does nothing if the step does not run. */
  input(stepId: string, text: string | null): void;
  /** Asks the running step to stop, in the language's own way. Does nothing if no step runs. */
  interrupt(): void;
  /** The names that steps have defined. Call only between steps. Rejects if the kernel dies; a kernel may never answer. */
  symbols(): Promise<KernelSymbol[]>;
  /** The completions for the name before the cursor. Same rules as for `symbols`. */
  complete(at: KernelCursor): Promise<Completions>;
  /** The documentation of the name at the cursor. Same rules as for `symbols`. */
  inspect(at: KernelCursor): Promise<Inspection>;
  /** Whether code can run as it is. Same rules as for `symbols`. */
  parse(code: string): Promise<ParsedCode>;
  /**
   * Writes an archive of its state to the FIFO at `path`, perhaps in a child that goes on after this has resolved: the archive is
   * complete if its end is there (`specs/public`, snapshot.ts). `isFork`: also values that may change by themselves later. Same rules as
   * for `symbols`. A language without snapshots never answers.
   */
  snapshot(wanted: { path: string; bytesMax: number; timeoutMs: number; isFork: boolean }): Promise<void>;
  /**
   * Gives a kernel that has run no step the state that `folder` describes (languages/README.md). `onCall` gets the calls of operations meanwhile.
   * Same rules as for `symbols`.
   */
  recover(wanted: { folder: string; timeoutMs: number; onCall(call: ProgramCall): void }): Promise<RecoveryReport>;
  /** Whether its code is kept from starting programs. */
  readonly isConfined: boolean;
  /** Sends SIGKILL to the whole process tree; resolves when it is gone. */
  kill(): Promise<void>;
};

/** Starts a kernel process. @throws Error only if the interpreter cannot be started at all */
export type StartKernel = (options: KernelOptions) => Kernel;
