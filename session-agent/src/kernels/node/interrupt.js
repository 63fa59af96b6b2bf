import { Worker } from 'node:worker_threads';

const [runningAt, acknowledgedAt, consumedAt, cameAt] = [0, 1, 2, 3];
const consumedMsMax = 20;

/**
 * Interrupts come on fd 4 as the number of a step and are read by a worker, since this thread may be busy.
 * `onInterrupt` is called where it is not; `absorb` is called where a termination is still on its way.
 */
export function listenForInterrupts({ onInterrupt, absorb }) {
  const shared = new Int32Array(new SharedArrayBuffer(16));
  const worker = new Worker(new URL('./interrupt-worker.js', import.meta.url), {
    workerData: shared,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
  });
  worker.unref();
  worker.on('message', (number) => {
    onInterrupt(number);
    Atomics.store(shared, acknowledgedAt, number);
  });
  // Meant for the programs that a step waits for.
  process.on('SIGINT', () => {});
  return {
    begin(number) {
      Atomics.store(shared, runningAt, number);
    },
    /** Whether the step was asked to stop. */
    came(number) {
      return Atomics.load(shared, cameAt) === number;
    },
    /** Call before anything else is done about the end: what a termination hits is lost. */
    end(number) {
      const isStopping = Atomics.compareExchange(shared, runningAt, number, 0) === -number;
      if (!isStopping) return;
      const consumed = Atomics.load(shared, consumedAt);
      if (consumed !== number) Atomics.wait(shared, consumedAt, consumed, consumedMsMax);
      if (Atomics.load(shared, consumedAt) !== number) absorb();
      Atomics.store(shared, runningAt, 0);
    },
  };
}
