import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Stage } from './stage.ts';

/** Starts a program of ours under this Node, which prints the port on which it listens. It ends with the scenario. */
export async function startProgram(
  { defer }: Pick<Stage, 'defer'>,
  { args, env }: { args: readonly string[]; env: Record<string, string> },
): Promise<{ pid: number; port: number }> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    // The program ends when its standard input does, so that nothing is left of a run that was killed.
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  defer(() => end(child));
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${args.join(' ')} exited with ${code}`);
  });
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  return { pid: child.pid as number, port: Number(line) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
