import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { NamedFifos } from './fifos.ts';
import type { KernelOptions } from './kernel.ts';
import type { KernelConfig } from './kernel-config.ts';
import { kernelEnvironment } from './kernel-environment.ts';
import { settledWithin } from './settled-within.ts';
import type { KernelProcess } from './spawn-kernel.ts';

const answerMsMax = 1000;

/** A process that was forked and waits to be told which kernel to be. */
export type ForkedKernel = {
  pid: number;
  startedAt: number;
  control: Socket;
  lifeline: Socket;
  fifos: NamedFifos;
  ended: KernelProcess['ended'];
};

/** `refused`: this kernel must be started by itself; `stale`: no kernel of this zygote is right any more; `failed`: no answer came. */
export type Refusal = 'refused' | 'stale' | 'failed';

/** Tells a forked process which kernel to be. It ends where it cannot. */
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
    discard(forked);
    return answer === 's' ? 'stale' : answer === 'n' ? 'refused' : 'failed';
  }
  const tree = { pid, startedAt, marker: `HOLDFAST_KERNEL=${marker}` };
  return { tree, control, lifeline, interruptsByLifeline: false, stdout: fifos.stdout, stderr: fifos.stderr, ended };
}

/** Ends a forked process that no kernel is made of. */
export function discard({ control, lifeline, fifos }: Omit<ForkedKernel, 'pid' | 'startedAt' | 'ended'>): void {
  // Its lifeline's end is its own.
  for (const socket of [control, lifeline, fifos.stdout, fifos.stderr]) socket.destroy();
}

/** The next byte as a character, or null where none comes; what follows it stays unread. */
export async function nextByte(socket: Socket): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('readable', resolve);
  socket.once('close', resolve);
  await settledWithin(promise, answerMsMax);
  socket.off('readable', resolve);
  socket.off('close', resolve);
  return (socket.read(1) as Buffer | null)?.toString('latin1') ?? null;
}
