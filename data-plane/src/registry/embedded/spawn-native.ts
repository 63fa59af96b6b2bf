import { type ChildProcess, spawn } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from './choose-home.ts';

type NativeCommand = {
  program: 'initdb' | 'postgres';
  args: string[];
  /** What it gets when this process dies without stopping it. */
  deathSignal: 'INT' | 'KILL';
  stdio: ['ignore' | 'pipe', number, number];
};

/** Starts one of Postgres' programs as the home's user, with nothing of our environment and away from the terminal's Ctrl-C. */
export async function spawnNative(
  { home, binaries }: { home: Home; binaries: string },
  { program, args, deathSignal, stdio }: NativeCommand,
): Promise<ChildProcess> {
  const command = [join(binaries, 'bin', program), ...args];
  // util-linux has it; without it the next start ends what a killed process left.
  const setpriv = await firstExecutable(['/usr/bin/setpriv', '/bin/setpriv']);
  if (setpriv) command.unshift(setpriv, '--pdeathsig', deathSignal, '--');
  const [file = '', ...rest] = command;
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  const child = spawn(file, rest, { cwd: home.path, env, stdio, detached: true, ...home.runAs });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) =>
      reject(new Error(`${program} of the embedded Postgres cannot be started`, { cause })),
    );
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
