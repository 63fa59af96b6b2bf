import type { ProcessUsage } from '@holdfast/specs/public';

/** The end of a program. Both are null if it is not known how it ended. */
export type ProgramEnd = { exitCode: number | null; signal: string | null; usage: ProcessUsage | null };

/** A program that is to be started. `folder` has its FIFOs: `0` if it takes input, `1`, and `2` if its errors go there. */
export type Program = {
  /** The path of the program, and all of its words, the first of which is its own name for itself. */
  file: string;
  command: readonly string[];
  /** Absolute. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  folder: string | null;
  names: readonly StreamName[];
  /** The path of the terminal that it gets instead. */
  terminal: string | null;
};
export type StreamName = '0' | '1' | '2';

/** A started program: the leader of a session and a process group of its own. `ended` never rejects. */
export type StartedProgram = { pid: number; signal(name: NodeJS.Signals): void; ended: Promise<ProgramEnd> };

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
  /** Makes FIFOs with these names in a new folder. */
  makeFifos(names: readonly StreamName[]): Promise<string>;
  /** Resolves once the program is executed. Its FIFOs have lost their names then. @throws NotStartedError */
  start(program: Program): Promise<StartedProgram>;
  /** Kills all processes that were started, with all that they started. Never rejects. */
  endAll(): Promise<void>;
};
