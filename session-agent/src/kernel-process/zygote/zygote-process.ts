import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { readProcess } from '../end/list-processes.ts';
import { signalName } from '../end/signal-name.ts';
import type { KernelConfig } from '../kernel-config.ts';
import type { ProcessEnd } from '../kernel-process.ts';
import { languagePrograms } from '../language-programs.ts';
import { createNamedFifos } from '../output/fifos.ts';
import { kernelEnvironment } from '../start/kernel-environment.ts';
import { discardForked, type ForkedKernel, nextByte } from './become-kernel.ts';
import { untilForkedEnds } from './until-forked-ends.ts';
import { createZygoteReader, type ZygoteMessage, type ZygoteRequest } from './zygote-messages.ts';

const forkMsMax = 2000;

export type ZygoteProcess = {
  pid: number;
  /** The variables it was started with. Its kernels have them until they get their own. */
  env: Record<string, string>;
  /** Resolves when it can fork; never settles if it dies before that. */
  ready: Promise<void>;
  /** Never rejects. */
  ended: Promise<void>;
  /** Rejects if the zygote cannot fork, or not in time. */
  fork(): Promise<ForkedKernel>;
  /** Kills the zygote. The kernels that it has forked live on. */
  kill(): void;
};

/** @throws Error if the interpreter cannot be started */
export function startZygote(config: KernelConfig, preload: readonly string[]): ZygoteProcess {
  const env = kernelEnvironment(config, { env: {} }, randomBytes(16).toString('hex'));
  const child = spawn(config.python, [languagePrograms.zygote, config.pythonExtras ?? '', ...preload], {
    cwd: '/',
    env,
    detached: true,
    // 5 and 6 are taken from the start, so that no library opens a descriptor there: kernels use these numbers.
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => {});
  const { pid } = child;
  if (pid === undefined) throw new Error(`The interpreter ${config.python} cannot be started.`);
  const [control, lifeline] = [child.stdio[3] as Socket, child.stdio[4] as Socket];
  const kill = () => void child.kill('SIGKILL');
  const ready = Promise.withResolvers<void>();
  const forks = new Map<number, PromiseWithResolvers<number>>();
  const ends = new Map<number, (end: ProcessEnd) => void>();
  let address = '';
  let lastId = 0;

  const receive = (message: ZygoteMessage) => {
    if (message.type === 'ready') {
      address = `\0${message.address}`;
      ready.resolve();
    } else if (message.type === 'exited') {
      ends.get(message.pid)?.({
        exitCode: message.exitCode,
        signal: message.signal === null ? null : signalName(message.signal),
      });
    } else if (message.type === 'forked') forks.get(message.id)?.resolve(message.pid);
    else forks.get(message.id)?.reject(new Error(message.message));
  };
  const read = createZygoteReader(receive);
  control.on('data', (chunk) => {
    try {
      read(chunk);
    } catch {
      kill();
    }
  });
  const ended = once(child, 'exit').then(() => {
    for (const socket of [control, lifeline]) socket.destroy();
    for (const fork of forks.values()) fork.reject(new Error('the zygote has died'));
  });
  for (const socket of [control, lifeline]) socket.on('error', () => {});

  const forkedPid = async (request: ZygoteRequest): Promise<number> => {
    const answer = Promise.withResolvers<number>();
    forks.set(request.id, answer);
    const timer = setTimeout(() => answer.reject(new Error('the zygote does not answer')), forkMsMax);
    control.write(`${JSON.stringify(request)}\n`);
    try {
      return await answer.promise;
    } finally {
      clearTimeout(timer);
      forks.delete(request.id);
    }
  };

  return {
    pid,
    env,
    ready: ready.promise,
    ended,
    kill,
    async fork() {
      const id = ++lastId;
      const fifos = await createNamedFifos(config.agentTmp);
      const channels = { control: channel(address, id, 3), lifeline: channel(address, id, 4), fifos };
      try {
        const forked = await forkedPid({ type: 'fork', id, folder: fifos.folder });
        const reported = new Promise<ProcessEnd>((resolve) => ends.set(forked, resolve));
        const kernel = { ...channels, pid: forked, startedAt: readProcess(forked)?.startedAt ?? 0 };
        if ((await nextByte(kernel.control)) !== 'o') throw new Error('the forked process did not start');
        const end = untilForkedEnds(kernel, { reported, zygoteEnded: ended }).finally(() => ends.delete(forked));
        return { ...kernel, ended: end };
      } catch (error) {
        discardForked(channels);
        throw error;
      } finally {
        fifos.release();
      }
    },
  };
}

/** A connection that becomes the kernel's descriptor `fd`; see ../languages/python/holdfast_zygote/accept.py. */
function channel(address: string, id: number, fd: number): Socket {
  const socket = connect({ path: address });
  socket.on('error', () => {});
  const header = Buffer.alloc(5, fd);
  header.writeUInt32BE(id);
  socket.write(header);
  return socket;
}
