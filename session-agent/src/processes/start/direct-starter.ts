import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Problem } from '@holdfast/specs/public';
import { readProcess } from '../../kernel-process/end/list-processes.ts';
import { createSharedSweeps } from '../../kernel-process/end/shared-sweeps.ts';
import type { KernelConfig } from '../../kernel-process/kernel-config.ts';
import type { ProcessTree } from '../../kernel-process/kernel-process.ts';
import {
  NotStartedError,
  type ProcessStarter,
  type Program,
  type ProgramEnd,
  type StreamEnds,
} from './process-starter.ts';

const run = promisify(execFile);
/** As the leader of a session, the shell gets the first terminal that it opens as the session's. */
const inTerminal = 'exec "$@" <>"$0" >&0 2>&0';

/** Starts processes as the agent's own children. Those that they leave behind are found by group, session and marker alone. */
export function createDirectStarter(config: Pick<KernelConfig, 'agentTmp'>): ProcessStarter {
  const trees = new Set<ProcessTree>();

  return {
    async start(program) {
      if (program.limits) {
        throw new Problem('unsupported-by-runtime', { detail: 'Limits of a process need the interpreter python3.' });
      }
      const pipes = await openPipes(config.agentTmp, program.streams);
      try {
        const { file, args, argv0 } = commandOf(program);
        const { cwd, env } = program;
        const child = spawn(file, args, { argv0, cwd, env: { ...env }, detached: true, stdio: pipes.stdio });
        const failed = new Promise<NodeJS.ErrnoException>((resolve) => child.on('error', resolve));
        const { pid } = child;
        if (pid === undefined) throw new NotStartedError((await failed).code ?? 'EIO');
        const ended = once(child, 'exit').then(([exitCode, signal]): ProgramEnd => ({ exitCode, signal, usage: null }));
        const tree = {
          pid,
          startedAt: readProcess(pid)?.startedAt ?? 0,
          marker: `HOLDFAST_KERNEL=${env.HOLDFAST_KERNEL}`,
        };
        trees.add(tree);
        void ended.then(() => hasGroup(pid) || trees.delete(tree));
        const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
        return { pid, ended, ends: pipes.ends, signal: (name) => hasEnded() || signalGroup(pid, name) };
      } catch (error) {
        for (const descriptor of Object.values(pipes.ends)) closeSync(descriptor);
        // Node throws some of the system's errors and emits others.
        throw error instanceof NotStartedError
          ? error
          : new NotStartedError((error as NodeJS.ErrnoException).code ?? 'EIO');
      } finally {
        pipes.closeTheirs();
      }
    },
    async endAll() {
      await Promise.all([...trees].map(createSharedSweeps()));
      trees.clear();
    },
  };
}

function commandOf({ file, command, streams }: Program): { file: string; args: string[]; argv0: string } {
  const [argv0 = file, ...args] = command;
  if (!('terminal' in streams)) return { file, args, argv0 };
  return { file: '/bin/sh', args: ['-c', inTerminal, streams.terminal, file, ...args], argv0: 'sh' };
}

type Pipes = { ends: StreamEnds; stdio: (number | 'ignore')[]; closeTheirs(): void };

/** FIFOs that lose their names at once: Node's own pipes are sockets, on which `/dev/stdout` cannot be opened. */
async function openPipes(tmp: string, streams: Program['streams']): Promise<Pipes> {
  if ('terminal' in streams) return { ends: {}, stdio: ['ignore', 'ignore', 'ignore'], closeTheirs() {} };
  const folder = mkdtempSync(join(tmp, 'holdfast-process-'));
  const path = (name: string) => join(folder, name);
  const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
  const theirs: number[] = [];
  const ends: StreamEnds = {};
  const reading = (name: string) => openSync(path(name), O_RDONLY | O_NONBLOCK);
  const writing = (name: string) => {
    const descriptor = openSync(path(name), O_WRONLY);
    theirs.push(descriptor);
    return descriptor;
  };
  try {
    await run('mkfifo', ['-m', '600', path('0'), path('1'), path('2')]);
    ends.output = reading('1');
    const stdio: Pipes['stdio'] = ['ignore', writing('1'), writing('1')];
    if (streams.errors) {
      ends.errors = reading('2');
      stdio[2] = writing('2');
    }
    if (streams.input) {
      // A FIFO without a reader cannot be opened for writing, and one without a writer only by waiting.
      theirs.push(openSync(path('0'), constants.O_RDWR | O_NONBLOCK));
      ends.input = openSync(path('0'), O_WRONLY | O_NONBLOCK);
      stdio[0] = openSync(path('0'), O_RDONLY);
      theirs.push(stdio[0]);
    }
    return { ends, stdio, closeTheirs: () => theirs.forEach(closeSync) };
  } catch {
    for (const descriptor of [...theirs, ...Object.values(ends)]) closeSync(descriptor);
    throw new NotStartedError('EIO');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function hasGroup(pid: number): boolean {
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    // It has just ended.
  }
}
