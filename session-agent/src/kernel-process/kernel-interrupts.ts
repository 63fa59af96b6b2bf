import type { KernelRequest } from '@holdfast/specs/kernel';
import type { KernelProcess } from './spawn-kernel.ts';

const signalAgainMs = 250;

type Dependencies = {
  send: (request: KernelRequest) => void;
  /** Whether the step of this number runs still. */
  isRunning: (number: number) => boolean;
};
type Interrupted = Pick<
  KernelProcess,
  'lifeline' | 'tree' | 'interruptsByLifeline' | 'wantsInterruptNumbers' | 'speaksLines'
>;

/** Interrupts the running step of a kernel, by number on fd 4 or by SIGINT, as its language takes it. */
export function kernelInterrupts({ send, isRunning }: Dependencies, kernel: Interrupted) {
  let mayArriveLate = false;
  let begun = 0;
  let waiting = 0;

  const signal = (number: number) => {
    if (!isRunning(number)) return;
    signalGroup(kernel.tree.pid);
    // A program that the shell was just about to execute is deaf to the first, and the shell waits for it.
    if (kernel.speaksLines) setTimeout(() => isRunning(number) && signalGroup(kernel.tree.pid), signalAgainMs);
  };

  return {
    interrupt(number: number): void {
      if (kernel.interruptsByLifeline) {
        kernel.lifeline.write(uint32(number));
        return;
      }
      if (kernel.wantsInterruptNumbers) send({ type: 'interrupt', number });
      else mayArriveLate = true;
      // A shell that takes up a signal again would die of one that comes in the middle of that.
      if (kernel.speaksLines && begun !== number) waiting = number;
      else signal(number);
    },

    /** The kernel says that the code of this step begins. */
    begun(number: number): void {
      begun = number;
      if (waiting === number) signal(number);
    },

    /** Whether a signal, which says not for which step it is, may not have arrived yet. True once for each. */
    takeLate(): boolean {
      const was = mayArriveLate;
      mayArriveLate = false;
      return was;
    },
  };
}

/** SIGINT to the whole group, so that programs which the step waits for stop as well. */
function signalGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGINT');
  } catch {
    // It has just died, which ends its step in its own way.
  }
}

function uint32(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(4);
  buffer.writeUInt32BE(value);
  return buffer;
}
