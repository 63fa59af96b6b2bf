import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from './connect.ts';
import type { JupyterCommand } from './kernel-command.ts';

/** The kernel is told these port numbers. With Unix sockets they only end the names of the files. */
export const ports = { shell: 1, iopub: 2, stdin: 3, control: 4, hb: 5 } as const;

export const socketPrefix = (folder: string) => join(folder, 'k');

type End = { exitCode: number | null; signal: NodeJS.Signals | null };

/** Writes the connection file and starts the kernel, in a session and process group of its own. `outputs` become its fds 1 and 2. */
export function startKernelProcess(command: JupyterCommand, outputs: [number, number]) {
  const { argv, env, folder, interruptMode } = command;
  const connection = { key: randomBytes(32).toString('hex') };
  const connectionFile = join(folder, 'connection.json');
  writeFileSync(connectionFile, JSON.stringify(connectionInfo(folder, connection.key)), { mode: 0o600 });
  const [file = '', ...args] = argv.map((part) => part.replaceAll('{connection_file}', connectionFile));
  const child = spawn(file, args, {
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', ...outputs],
  });
  child.on('error', () => process.exit(exitCannotExecute));
  const ended = once(child, 'exit').then(([exitCode, signal]): End => ({ exitCode, signal }));

  return {
    pid: child.pid ?? 0,
    connection,
    ended,
    /** Interrupts what the kernel runs: by SIGINT to its process group, or by a message if its kernelspec says so. */
    interrupt({ control }: Pick<Connection, 'control'>): void {
      if (interruptMode === 'message') control.send('interrupt_request', {});
      else signalGroup(child.pid, 'SIGINT');
    },
    kill: () => signalGroup(child.pid, 'SIGKILL'),
    /** Ends this process in the way the kernel ended, so that the agent reports the true cause. */
    endLikewise({ exitCode, signal }: End): void {
      if (signal) {
        process.removeAllListeners(signal);
        process.kill(process.pid, signal);
      }
      process.exit(exitCode ?? 1);
    },
  };
}

/** The exit code of shells for a program that cannot be executed. */
const exitCannotExecute = 126;

function connectionInfo(folder: string, key: string) {
  const named = Object.entries(ports).map(([name, port]) => [`${name}_port`, port]);
  return {
    transport: 'ipc',
    ip: socketPrefix(folder),
    ...Object.fromEntries(named),
    signature_scheme: 'hmac-sha256',
    key,
    kernel_name: '',
  };
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The kernel has just ended.
  }
}
