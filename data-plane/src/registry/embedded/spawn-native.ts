import { type ChildProcess, spawn } from 'node:child_process';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from './choose-home.ts';

type NativeCommand = {
  program: 'initdb' | 'postgres';
  args: string[];
  /** The signal that it gets if this process dies without stopping it. */
  deathSignal: 'INT' | 'KILL';
  stdio: ['ignore' | 'pipe', number, number];
};

/** Starts a program of Postgres as the home's user, without our environment and out of reach of the terminal's Ctrl-C. */
export async function spawnNative(
  { home, binaries }: { home: Home; binaries: string },
  { program, args, deathSignal, stdio }: NativeCommand,
): Promise<ChildProcess> {
  const command = [join(binaries, 'bin', program), ...args];
  // Part of util-linux. Without it the next start ends the server that a killed process left behind.
  const setpriv = await firstExecutable(['/usr/bin/setpriv', '/bin/setpriv']);
  if (setpriv) command.unshift(setpriv, '--pdeathsig', deathSignal, '--');
  const [file = '', ...rest] = command;
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  const child = spawn(file, rest, { cwd: home.path, env, stdio, detached: true, ...home.runAs });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => reject(new Error(`cannot start ${program} of the embedded Postgres`, { cause })));
  });
  return child;
}

async function firstExecutable(paths: string[]): Promise<string | undefined> {
  for (const path of paths) {
    const found = await access(path).then(
      () => true,
      () => false,
    );
    if (found) return path;
  }
  return undefined;
}

/** The last lines of a program's log, for the text of an error. */
export async function logTail(path: string): Promise<string> {
  const log = await readFile(path, 'utf8').catch(() => '');
  return log.trimEnd().split('\n').slice(-10).join('\n');
}
