import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

const build = join(import.meta.dirname, '../../build.ts');

export type Ran = { exitCode: number | null; stdout: string; stderr: string };

export type Cli = Awaited<ReturnType<typeof buildCli>>;

/** Builds the program into a folder of its own, and runs it as a person would, with settings of its own and without a terminal. */
export async function buildCli(env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-cli-'));
  await promisify(execFile)(process.execPath, [build, join(folder, 'dist')]);
  await copyFile(join(import.meta.dirname, '../../package.json'), join(folder, 'package.json'));
  const start = (args: readonly string[], more: Record<string, string> = {}) =>
    spawn(process.execPath, [join(folder, 'dist/main.js'), ...args], {
      env: { PATH: process.env.PATH, HOME: folder, ...env, ...more },
      stdio: 'pipe',
    });
  return {
    folder,
    start,
    /** Runs a command to its end, with this input. */
    async run(
      args: readonly string[],
      { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
    ): Promise<Ran> {
      const child = start(args, env);
      // A command that does not read its input has left by now, maybe.
      child.stdin.on('error', () => {}).end(input);
      const [[exitCode], stdout, stderr] = await Promise.all([
        once(child, 'close'),
        text(child.stdout),
        text(child.stderr),
      ]);
      return { exitCode, stdout, stderr };
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
