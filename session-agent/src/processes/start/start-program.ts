import { randomBytes } from 'node:crypto';
import type { AgentProcess } from '@holdfast/specs/agent';
import { readProcess } from '../../kernel-process/end/list-processes.ts';
import type { KernelConfig } from '../../kernel-process/kernel-config.ts';
import type { ProcessTree } from '../../kernel-process/kernel-process.ts';
import { kernelEnvironment } from '../../kernel-process/start/kernel-environment.ts';
import { describeNotStarted, findCommand } from './find-command.ts';
import { openStreams, type Streams } from './open-streams.ts';
import { processCwd } from './process-cwd.ts';
import { NotStartedError, type ProcessStarter, type StartedProgram } from './process-starter.ts';

/** The settings that all processes of an agent share. */
export type ProcessConfig = KernelConfig & { workspace: string };

export type StartedProcess = StartedProgram & { tree: ProcessTree; streams: Streams; cwd: string };

/** Makes Python write output as it comes and not when a buffer is full. */
const ownEnv = { PYTHONUNBUFFERED: '1' };
/** The kind of terminal that emulators in web pages are. */
const terminalEnv = { TERM: 'xterm-256color' };

type Wanted = Pick<AgentProcess, 'command' | 'cwd' | 'stdin' | 'stderr' | 'terminal'>;

/**
 * Starts the program of a process, `env` being the variables of the session and the process.
 * @throws Problem `invalid-request`, `command-not-started` or `unsupported-by-runtime`
 */
export async function startProgram(
  { config, starter }: { config: ProcessConfig; starter: ProcessStarter },
  wanted: Wanted,
  env: Record<string, string>,
): Promise<StartedProcess> {
  const marker = randomBytes(16).toString('hex');
  const cwd = processCwd(config.workspace, wanted.cwd);
  const variables = { ...ownEnv, ...(wanted.terminal && terminalEnv), ...env };
  const whole = kernelEnvironment(config, { env: variables }, marker);
  const found = findCommand(wanted.command, { cwd, path: whole.PATH ?? '' });
  let streams: Streams | null = null;
  try {
    streams = await openStreams(starter, wanted);
    const program = await starter.start({ ...found, ...streams.ofProgram, cwd, env: whole });
    const startedAt = readProcess(program.pid)?.startedAt ?? 0;
    return { ...program, tree: { pid: program.pid, startedAt, marker: `HOLDFAST_KERNEL=${marker}` }, streams, cwd };
  } catch (error) {
    streams?.abandon();
    throw error instanceof NotStartedError ? describeNotStarted(error, found) : error;
  }
}
