import process from 'node:process';
import { URL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { keepMethods } from './visible/keep-methods.js';

/** Places in the memory that both threads share: numbers of steps, and for the last two counts of terminations. */
const slots = { running: 0, begun: 1, came: 2, acknowledged: 3, terminating: 4, consumed: 5 };
const consumedMsMax = 20;

/**
 * Interrupts come on fd 4 as the number of a step and are read by a worker, since this thread may be busy.
 * `onInterrupt` is called where it is not; `absorb` is called where a termination is still on its way.
 */
export function listenForInterrupts({ onInterrupt, absorb }) {
  const shared = new Int32Array(new SharedArrayBuffer(4 * Object.keys(slots).length));
  const worker = keepMethods(
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
  // Meant for the programs that a step waits for.
  process.on('SIGINT', () => {});

  /** What a termination hits is lost, so it is to hit nothing of ours. */
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
    /** Call before anything else is done about the end. */
    end(number) {
      if (Atomics.compareExchange(shared, slots.running, number, 0) === number) return;
      settleTermination();
      Atomics.store(shared, slots.running, 0);
    },
  };
}
