import { Worker } from 'node:worker_threads';

const [runningAt, acknowledgedAt] = [0, 1];

/**
 * Interrupts come on fd 4 as the number of a step and are read by a worker, since this thread may be busy.
 * `onInterrupt` is called where it is not; `absorb` is called where a termination may still be on its way.
 */
export function listenForInterrupts({ onInterrupt, absorb }) {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(new URL('./interrupt-worker.js', import.meta.url), {
    workerData: shared,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
  });
  worker.unref();
  worker.on('message', (number) => {
    if (Math.abs(Atomics.load(shared, runningAt)) === number) onInterrupt(number);
    Atomics.store(shared, acknowledgedAt, number);
    Atomics.notify(shared, acknowledgedAt);
  });
  // SIGINT goes to the whole group and is meant for the programs that a step waits for.
  process.on('SIGINT', () => {});
  return {
    begin(number) {
      Atomics.store(shared, runningAt, number);
    },
    /** `terminated`: the step's evaluation has already been stopped by the termination. */
    end(number, { terminated }) {
      const stopping = Atomics.compareExchange(shared, runningAt, number, 0) === -number;
      if (!stopping) return;
      Atomics.store(shared, runningAt, 0);
      if (!terminated) absorb();
    },
  };
}
