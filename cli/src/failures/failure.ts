/** Ends the command with one line on stderr. `exitCode` 2: the command line itself cannot be used. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: 1 | 2;

  constructor(message: string, { exitCode = 1, cause }: { exitCode?: 1 | 2; cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.exitCode = exitCode;
  }
}
