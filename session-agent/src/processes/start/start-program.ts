import { randomBytes } from 'node:crypto';
import { closeSync } from 'node:fs';
import type { AgentProcess } from '@holdfast/specs/agent';
import { readProcess } from '../../kernel-process/end/list-processes.ts';
import { createFifoReader, createTerminalReader, type FifoReader } from '../../kernel-process/fifo-reader.ts';
import type { KernelConfig } from '../../kernel-process/kernel-config.ts';
import type { ProcessTree } from '../../kernel-process/kernel-process.ts';
import { kernelEnvironment } from '../../kernel-process/start/kernel-environment.ts';
import { DescriptorWriter } from '../input/descriptor-writer.ts';
import type { OutputStream } from '../log/block.ts';
import { describeNotStarted, findCommand } from './find-command.ts';
import { processCwd } from './process-cwd.ts';
import { NotStartedError, type ProcessStarter, type StartedProgram, type StreamEnds } from './process-starter.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** The settings that all processes of an agent share. */
export type ProcessConfig = KernelConfig & { workspace: string };

export type StartedProcess = Omit<StartedProgram, 'ends'> & {
  tree: ProcessTree;
  cwd: string;
  terminal: Terminal | null;
  /** Null if it takes no input. */
  input: DescriptorWriter | null;
  readers: ReadonlyMap<OutputStream, FifoReader>;
};

/** Makes Python write output as it comes and not when a buffer is full. */
const ownEnv = { PYTHONUNBUFFERED: '1' };
/** The kind of terminal that emulators in web pages are. */
const terminalEnv = { TERM: 'xterm-256color' };

type Wanted = Pick<AgentProcess, 'command' | 'cwd' | 'stdin' | 'stderr' | 'terminal' | 'limits'>;

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
  const terminal = wanted.terminal ? openTerminal(wanted.terminal) : null;
  const streams = terminal
    ? { terminal: terminal.path }
    : { input: wanted.stdin !== false, errors: wanted.stderr === 'separate' };
  try {
    const program = await starter.start({ ...found, cwd, env: whole, streams, limits: wanted.limits });
    const startedAt = readProcess(program.pid)?.startedAt ?? 0;
    const tree = { pid: program.pid, startedAt, marker: `HOLDFAST_KERNEL=${marker}` };
    return { ...program, tree, terminal, cwd, ...openStreams(program.ends, terminal) };
  } catch (error) {
    if (terminal) closeSync(terminal.descriptor);
    throw error instanceof NotStartedError ? describeNotStarted(error, found) : error;
  }
}

function openStreams(
  { input, output, errors }: StreamEnds,
  terminal: Terminal | null,
): Pick<StartedProcess, 'input' | 'readers'> {
  const readers = new Map<OutputStream, FifoReader>();
  if (terminal) {
    const reader = createTerminalReader(terminal.descriptor);
    readers.set('stdout', reader);
    return { readers, input: new DescriptorWriter(terminal.descriptor, { sharedWith: reader }) };
  }
  if (output !== undefined) readers.set('stdout', createFifoReader(output));
  if (errors !== undefined) readers.set('stderr', createFifoReader(errors));
  return { readers, input: input === undefined ? null : new DescriptorWriter(input, { sharedWith: null }) };
}
