import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { KernelOptions } from '../kernel.ts';
import type { KernelConfig } from '../kernel-config.ts';
import type { KernelProcess } from '../kernel-process.ts';
import type { NamedFifos } from '../output/fifos.ts';
import { settledWithin } from '../settled-within.ts';
import { kernelEnvironment } from '../start/kernel-environment.ts';

const answerMsMax = 1000;

/** A forked process that waits for the settings of the kernel it will become. */
export type ForkedKernel = {
  pid: number;
  startedAt: number;
  control: Socket;
  lifeline: Socket;
  fifos: NamedFifos;
  ended: KernelProcess['ended'];
};

/**
 * `refused`: this kernel needs its own interpreter; `stale`: the zygote is outdated, for this and any later kernel; `failed`: no answer
 * came.
 */
export type Refusal = 'refused' | 'stale' | 'failed';

/** Sends a forked process the settings of the kernel it becomes. The process ends if it refuses. */
export async function becomeKernel(
  config: KernelConfig,
  forked: ForkedKernel,
  options: KernelOptions,
): Promise<KernelProcess | Refusal> {
  const { pid, startedAt, control, lifeline, fifos, ended } = forked;
  const marker = randomBytes(16).toString('hex');
  const wanted = JSON.stringify({ cwd: options.cwd, env: kernelEnvironment(config, options, marker) });
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(wanted));
  control.write(Buffer.concat([length, Buffer.from(wanted)]));
  const answer = await nextByte(control);
  if (answer !== 'y') {
    discardForked(forked);
    return answer === 's' ? 'stale' : answer === 'n' ? 'refused' : 'failed';
  }
  const tree = { pid, startedAt, marker: `HOLDFAST_KERNEL=${marker}` };
  return { tree, control, lifeline, interruptsByLifeline: false, stdout: fifos.stdout, stderr: fifos.stderr, ended };
}

/** Ends a forked process that is not used. */
export function discardForked({ control, lifeline, fifos }: Omit<ForkedKernel, 'pid' | 'startedAt' | 'ended'>): void {
  // The process ends when its lifeline does.
  for (const socket of [control, lifeline, fifos.stdout, fifos.stderr]) socket.destroy();
}

/** The next byte as a character, or null if none comes in time. Leaves the following bytes unread. */
export async function nextByte(socket: Socket): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('readable', resolve);
  socket.once('close', resolve);
  await settledWithin(promise, answerMsMax);
  socket.off('readable', resolve);
  socket.off('close', resolve);
  return (socket.read(1) as Buffer | null)?.toString('latin1') ?? null;
}
