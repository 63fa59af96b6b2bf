import type { KernelRequest } from '@holdfast/specs/kernel';
import type { KernelProcess } from '../kernel-process.ts';

const signalAgainMs = 250;

type Dependencies = {
  send: (request: KernelRequest) => void;
  /** Whether the step with this number is still running. */
  isRunning: (number: number) => boolean;
};
type InterruptedKernel = Pick<
  KernelProcess,
  'lifeline' | 'tree' | 'interruptsByLifeline' | 'wantsInterruptNumbers' | 'speaksLines'
>;

/**
 * Interrupts the running step of a kernel in the way its language supports: by the step's number on fd 4, or by SIGINT to the kernel's
 * process group.
 */
export function createKernelInterrupts({ send, isRunning }: Dependencies, kernel: InterruptedKernel) {
  let isSignalPending = false;
  let begunNumber = 0;
  let waitingNumber = 0;

  const signal = (number: number) => {
    if (!isRunning(number)) return;
    signalGroup(kernel.tree.pid);
    // A program that the shell is just about to execute ignores the first signal, and the shell waits for that program.
    if (kernel.speaksLines) setTimeout(() => isRunning(number) && signalGroup(kernel.tree.pid), signalAgainMs);
  };

  return {
    interrupt(number: number): void {
      if (kernel.interruptsByLifeline) {
        kernel.lifeline.write(uint32(number));
        return;
      }
      if (kernel.wantsInterruptNumbers) send({ type: 'interrupt', number });
      else isSignalPending = true;
      // A shell dies of a signal that comes while it is still installing its handler for the step.
      if (kernel.speaksLines && begunNumber !== number) waitingNumber = number;
      else signal(number);
    },

    /** The kernel reports that the code of this step begins. */
    begun(number: number): void {
      begunNumber = number;
      if (waitingNumber === number) signal(number);
    },

    /**
     * Whether a signal that does not name its step may still be on its way. Reports each signal once, so that the next step can wait for
     * it to arrive.
     */
    takePendingSignal(): boolean {
      const isPending = isSignalPending;
      isSignalPending = false;
      return isPending;
    },
  };
}

/** Sends SIGINT to the whole group, so that programs which the step waits for stop as well. */
function signalGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGINT');
  } catch {
    // The kernel has just died, which ends its step anyway.
  }
}

function uint32(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(4);
  buffer.writeUInt32BE(value);
  return buffer;
}
