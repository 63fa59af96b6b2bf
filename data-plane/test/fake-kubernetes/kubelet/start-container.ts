import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programPath } from '../../../../runtime-images/test/support/program-path.ts';
import { endSandboxProcesses } from '../../../src/runtimes/process/end-processes.ts';

/** How a container ended; `output` is the end of its output. */
export type Exit = { code: number; output: string };

/** The one container of a pod. */
export type Container = { signal(name: 'SIGTERM' | 'SIGKILL'): void; exited: Promise<Exit> };

export type Start = {
  uid: string;
  env: Record<string, string>;
  /** A folder for this container alone. */
  folder: string;
};
export type StartContainer = (start: Start) => Container;

const agentMain = programPath('session-agent/src/main.ts');
const exitCodeOfSignal: Partial<Record<NodeJS.Signals, number>> = { SIGKILL: 137, SIGTERM: 143 };

/** Runs a real session-agent. It ends with this process, and processes that its kernels left end with it, as in a container. */
export const runAgent: StartContainer = ({ uid, env, folder }) => {
  const logPath = join(folder, 'agent.log');
  const log = openSync(logPath, 'a');
  const command = [
    process.execPath,
    '--disable-sigusr1',
    '--single-threaded',
    '--max-semi-space-size=1',
    '--expose-gc',
    '--no-incremental-marking',
    agentMain,
  ];
  // SIGTERM and not SIGKILL, so that the agent ends its kernels too.
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', '--', ...command], {
    cwd: env.HOLDFAST_WORKSPACE,
    env,
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const exited = once(child, 'exit').then(async ([code, signal]): Promise<Exit> => {
    await endSandboxProcesses({ uid, remembered: [] }, 10_000);
    const output = readFileSync(logPath, 'utf8').slice(-2048);
    return { code: code ?? exitCodeOfSignal[signal as NodeJS.Signals] ?? 255, output };
  });
  return { signal: (name) => child.kill(name), exited };
};

/** A container that runs nothing and ends when it is told to. */
export const idleContainer: StartContainer = () => {
  const exited = Promise.withResolvers<Exit>();
  return {
    signal: (name) => exited.resolve({ code: name === 'SIGTERM' ? 143 : 137, output: '' }),
    exited: exited.promise,
  };
};
