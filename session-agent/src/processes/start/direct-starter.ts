import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readProcess } from '../../kernel-process/end/list-processes.ts';
import { sweepTree } from '../../kernel-process/end/sweep-tree.ts';
import type { KernelConfig } from '../../kernel-process/kernel-config.ts';
import type { ProcessTree } from '../../kernel-process/kernel-process.ts';
import { NotStartedError, type ProcessStarter, type Program, type ProgramEnd } from './process-starter.ts';

const run = promisify(execFile);
/** As the leader of a session, the shell gets the first terminal that it opens as the session's. */
const inTerminal = 'exec "$@" <>"$0" >&0 2>&0';

/** Starts processes as the agent's own children. What they leave behind is found by group, session and marker alone. */
export function createDirectStarter(config: Pick<KernelConfig, 'agentTmp'>): ProcessStarter {
  const trees = new Set<ProcessTree>();

  return {
    async makeFifos(names) {
      const folder = mkdtempSync(join(config.agentTmp, 'holdfast-process-'));
      try {
        await run('mkfifo', ['-m', '600', ...names.map((name) => join(folder, name))]);
        return folder;
      } catch {
        rmSync(folder, { recursive: true, force: true });
        throw new NotStartedError('EIO');
      }
    },
    async start(program) {
      const opened = openStreams(program);
      try {
        const { file, args, argv0 } = commandOf(program);
        const child = spawn(file, args, {
          argv0,
          cwd: program.cwd,
          env: { ...program.env },
          detached: true,
          stdio: program.terminal === null ? standard(opened) : 'ignore',
        });
        const failed = new Promise<NodeJS.ErrnoException>((resolve) => child.on('error', resolve));
        const { pid } = child;
        if (pid === undefined) throw new NotStartedError((await failed).code ?? 'EIO');
        const ended = once(child, 'exit').then(([exitCode, signal]): ProgramEnd => ({ exitCode, signal, usage: null }));
        const tree = {
          pid,
          startedAt: readProcess(pid)?.startedAt ?? 0,
          marker: `HOLDFAST_KERNEL=${program.env.HOLDFAST_KERNEL}`,
        };
        trees.add(tree);
        void ended.then(() => hasGroup(pid) || trees.delete(tree));
        return {
          pid,
          ended,
          signal: (name) => child.exitCode === null && child.signalCode === null && signalGroup(pid, name),
        };
      } finally {
        for (const descriptor of opened.values()) closeSync(descriptor);
        if (program.folder !== null) void rm(program.folder, { recursive: true, force: true }).catch(() => {});
      }
    },
    async endAll() {
      await Promise.all([...trees].map(sweepTree));
      trees.clear();
    },
  };
}

function commandOf({ file, command, terminal }: Program): { file: string; args: string[]; argv0: string } {
  const [argv0 = file, ...args] = command;
  if (terminal === null) return { file, args, argv0 };
  return { file: '/bin/sh', args: ['-c', inTerminal, terminal, file, ...args], argv0: 'sh' };
}

/** The process's ends of its FIFOs, by number. The agent's ends are open already, so this does not block. */
function openStreams({ folder, names }: Program): Map<number, number> {
  const opened = new Map<number, number>();
  for (const name of names) {
    opened.set(
      Number(name),
      openSync(join(folder ?? '', name), name === '0' ? constants.O_RDONLY : constants.O_WRONLY),
    );
  }
  return opened;
}

function standard(opened: Map<number, number>): (number | 'ignore')[] {
  const output = opened.get(1) ?? 'ignore';
  return [opened.get(0) ?? 'ignore', output, opened.get(2) ?? output];
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
