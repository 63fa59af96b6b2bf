import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { CodeLanguage } from '@holdfast/specs/public';

const run = promisify(execFile);

/** Each command exits with 0 if a usable interpreter is on the path. Agents use the same path. */
const trials: readonly [CodeLanguage, string[]][] = [
  ['bash', ['bash', '--noprofile', '--norc', '-c', '((BASH_VERSINFO[0] >= 4))']],
  ['bun', ['bun', '--revision']],
  ['ruby', ['ruby', '--disable-all', '-e', 'exit RUBY_VERSION.to_f >= 2.7']],
];

/** The languages of sessions on this machine. Node is always among them, because it runs the agents; `findPython` finds Python. */
export async function findLanguages(input: {
  hasPython: boolean;
  path: string;
  home: string;
}): Promise<CodeLanguage[]> {
  const tried = await Promise.all(
    trials.map(async ([language, command]) => ((await serves(command, input)) ? [language] : [])),
  );
  return [...(input.hasPython ? (['python'] as const) : []), 'node', ...tried.flat()];
}

async function serves(
  [file = '', ...args]: string[],
  { path, home }: { path: string; home: string },
): Promise<boolean> {
  try {
    await run(file, args, { env: { PATH: path, HOME: home }, timeout: 10_000, killSignal: 'SIGKILL' });
    return true;
  } catch {
    return false;
  }
}

/** The folder of the bun that npm installed beside the agent's program `agentMain`, or null if there is none for this machine. */
export function bunFolder(agentMain: string): string | null {
  const architecture = process.arch === 'arm64' ? 'aarch64' : process.arch;
  try {
    return dirname(createRequire(agentMain).resolve(`@oven/bun-linux-${architecture}/bin/bun`));
  } catch {
    return null;
  }
}
