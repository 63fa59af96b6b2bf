import type { ProgramLimits, ResourceUsage } from '@holdfast/specs/public';
import type { MeasuredLimit } from '../../kernel-process/limits/limit-cause.ts';

/** The end of a program. Both are null if it is not known how it ended. `exceeded`: it was ended because of that limit. */
export type ProgramEnd = {
  exitCode: number | null;
  signal: string | null;
  usage: ResourceUsage | null;
  exceeded?: MeasuredLimit | undefined;
};

/** A program that is to be started. */
export type Program = {
  /** The path of the program, and all of its words, the first of which is its own name for itself. */
  file: string;
  command: readonly string[];
  /** Absolute. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** The path of its terminal, or the streams that it gets instead: output always, and input or errors of their own if it wants them. */
  streams: { terminal: string } | { input: boolean; errors: boolean };
  /** Those of the program with all processes that it starts. */
  limits: ProgramLimits | undefined;
};

/** The agent's ends of the streams of a program, as descriptors that do not block. A program with a terminal has none. */
export type StreamEnds = { input?: number; output?: number; errors?: number };

/** A started program: the leader of a session and a process group of its own. `ended` never rejects. */
export type StartedProgram = {
  pid: number;
  ends: StreamEnds;
  signal(name: NodeJS.Signals): void;
  ended: Promise<ProgramEnd>;
};

/** The system did not execute the program. `code` is that of the error, such as `ENOENT`. */
export class NotStartedError extends Error {
  override name = 'NotStartedError';
  readonly code: string;

  constructor(code: string) {
    super(`the program was not started: ${code}`);
    this.code = code;
  }
}

/** Starts programs in the sandbox, and knows all processes that they left behind. */
export type ProcessStarter = {
  /** Resolves once the program is executed. @throws NotStartedError, or Problem `unsupported-by-runtime` for limits that it cannot enforce */
  start(program: Program): Promise<StartedProgram>;
  /** Kills all processes that were started, with all that they started. Never rejects. */
  endAll(): Promise<void>;
};
