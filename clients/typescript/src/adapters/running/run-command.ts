import type { CallOptions } from '../../http/create-api.ts';
import type { StartOptions } from '../../processes/processes.ts';
import type { Session } from '../../sessions/session.ts';
import { type CommandOutput, createOutputReader } from './read-output.ts';
import { type CommandEnd, endOf, startCommand } from './start-command.ts';

export type RunCommandOptions = Pick<StartOptions, 'cwd' | 'env' | 'timeoutSeconds' | 'stderr'> &
  CallOptions & {
    /** The limit of both streams together; the rest is left out. */
    outputBytesMax: number;
  };

/** The output and the end of a command. */
export type CommandOutcome = CommandOutput & CommandEnd;

/** Runs a command of a model by the shell of the sandbox. An abort kills it. */
export async function runCommand(
  session: Session,
  command: string,
  { outputBytesMax, ...options }: RunCommandOptions,
): Promise<CommandOutcome> {
  const { signal } = options;
  const process = await startCommand(session, command, options);
  const output = await createOutputReader(process).read({ bytesMax: outputBytesMax, signal });
  return { ...output, ...(await endOf(process, { signal })) };
}
