import type {
  Cause,
  Completions,
  ContextLimits,
  Inspection,
  KernelSymbol,
  Language,
  Result,
  StepError,
} from '@holdfast/specs/public';

/** Where a kernel runs: `cwd` is absolute, `env` is all that its process gets besides our own few variables. */
export type KernelOptions = {
  language: Language;
  cwd: string;
  env: Record<string, string>;
  limits?: ContextLimits | undefined;
  /**
   * Output that came after its step's end (late threads, children left behind), as bytes of its stream or as text of the kernel's
   * own; `stepId` is null before the first step. Bounded by the receiver.
   */
  onBackground: (stream: Stream, output: Buffer | string, stepId: string | null) => void;
};

export type Stream = 'stdout' | 'stderr';

export type KernelStep = {
  stepId: string;
  code: string;
  /** Variables for this step alone. */
  env?: Record<string, string> | undefined;
  /** Whether its code may ask for input. */
  stdin?: boolean | undefined;
};

export type InputRequest = { prompt: string; password: boolean };

/** Receives what a step brings forth, in order per stream. Bytes never contain an end mark or half a UTF-8 character before the end. */
export type StepSink = {
  output(stream: Stream, bytes: Buffer): void;
  result(result: Result): void;
  error(error: StepError): void;
  /** The code waits for input: each call wants one of `Kernel.input`. */
  inputRequest(request: InputRequest): void;
};

/** `died`: the kernel's process ended in the step; `cause` says how. */
export type KernelStepEnd =
  | { status: 'succeeded' | 'failed' | 'interrupted'; streamIncomplete: boolean }
  | { status: 'died'; streamIncomplete: boolean; cause: Cause };

/** Code in which the kernel looks; `cursor` counts Unicode characters, as do the places in the answers. */
export type CodePlace = { code: string; cursor: number };

/** The process that holds a context. One step at a time; the caller queues. */
export type Kernel = {
  readonly pid: number;
  /** Settles when it can take a step; rejects when it dies before. */
  readonly ready: Promise<void>;
  /** Resolves with the cause once the process has ended and its tree is swept. Never rejects. */
  readonly exited: Promise<Cause>;
  /** Runs a step to its end: `done` and both end marks, or the kernel's death. Never rejects. */
  execute(step: KernelStep, sink: StepSink): Promise<KernelStepEnd>;
  /** Answers a request for input with a line without its end, or with the end of input. Nothing happens where the step does not run. */
  input(stepId: string, text: string | null): void;
  /** Asks the running step to stop, in the language's own way. Nothing happens where none runs. */
  interrupt(): void;
  /** The names that steps have defined. Call only between steps. Rejects when the kernel dies; a kernel may never answer. */
  symbols(): Promise<KernelSymbol[]>;
  /** What could stand at the cursor. As `symbols`. */
  complete(place: CodePlace): Promise<Completions>;
  /** What is known of the name at the cursor. As `symbols`. */
  inspect(place: CodePlace): Promise<Inspection>;
  /** SIGKILL to the whole tree; resolves when it is gone. */
  kill(): Promise<void>;
};

/** Starts a kernel process. Throws only where the interpreter cannot be started at all. */
export type StartKernel = (options: KernelOptions) => Kernel;
