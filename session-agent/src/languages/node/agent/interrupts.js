import process from 'node:process';
import { URL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ownMethods } from '../realm/own-methods.js';

/** Positions in the memory that both threads share. They hold numbers of steps, the last two counts of terminations. */
const slots = { running: 0, begun: 1, came: 2, acknowledged: 3, terminating: 4, consumed: 5 };
const consumedMsMax = 20;

/**
 * Interrupts come on fd 4 as the number of a step. A worker reads them, since this thread may be busy. If this thread is not
 * busy, `onInterrupt` is called. If a termination may still be on its way, `absorb` is called to take it.
 */
export function listenForInterrupts({ onInterrupt, absorb }) {
  const shared = new Int32Array(new SharedArrayBuffer(4 * Object.keys(slots).length));
  const worker = ownMethods(
    new Worker(new URL('./interrupt-worker.js', import.meta.url), {
      workerData: { shared, slots },
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
    }),
  );
  worker.unref();
  worker.on('message', (number) => {
    settleTermination();
    onInterrupt(number);
    Atomics.store(shared, slots.acknowledged, number);
  });
  // SIGINT is meant for the programs that a step waits for, and must not end the kernel.
  process.on('SIGINT', () => {});

  /** A termination aborts any code that runs, so it has to arrive before the kernel's own code goes on. */
  const settleTermination = () => {
    const terminating = Atomics.load(shared, slots.terminating);
    const consumed = Atomics.load(shared, slots.consumed);
    if (consumed === terminating) return;
    Atomics.wait(shared, slots.consumed, consumed, consumedMsMax);
    if (Atomics.load(shared, slots.consumed) !== terminating) absorb();
  };

  return {
    worker,
    begin(number) {
      Atomics.store(shared, slots.running, number);
      Atomics.store(shared, slots.begun, number);
    },
    /** Whether the step was asked to stop. */
    came(number) {
      return Atomics.load(shared, slots.came) === number;
    },
    /** Call first of all when a step ends. */
    end(number) {
      if (Atomics.compareExchange(shared, slots.running, number, 0) === number) return;
      settleTermination();
      Atomics.store(shared, slots.running, 0);
    },
  };
}
