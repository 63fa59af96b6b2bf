import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { CodeLanguage } from '@holdfast/specs/public';

const run = promisify(execFile);

/** Each ends with 0 where the interpreter is there and serves: agents find it on the same path. */
const trials: readonly [CodeLanguage, string[]][] = [
  ['bash', ['bash', '--noprofile', '--norc', '-c', '((BASH_VERSINFO[0] >= 4))']],
  ['bun', ['bun', '--revision']],
  ['ruby', ['ruby', '--disable-all', '-e', 'exit RUBY_VERSION.to_f >= 2.7']],
];

/** The languages that sessions of this machine can have: Node runs the agents, Python is looked for by `findPython`. */
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

/** The folder of the bun that npm has installed beside the agent, or null if there is none for this machine. `agentMain` is the agent's program. */
export function bunFolder(agentMain: string): string | null {
  const architecture = process.arch === 'arm64' ? 'aarch64' : process.arch;
  try {
    return dirname(createRequire(agentMain).resolve(`@oven/bun-linux-${architecture}/bin/bun`));
  } catch {
    return null;
  }
}
