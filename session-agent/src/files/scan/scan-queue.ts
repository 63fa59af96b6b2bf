/** Runs one scan at a time, in the order of the calls. */
export type ScanQueue = {
  readonly isFree: boolean;
  run: (scan: () => Promise<void>) => Promise<void>;
};

export function createScanQueue(): ScanQueue {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return {
    get isFree() {
      return waiting === 0;
    },
    run(scan) {
      waiting += 1;
      const done = last.then(scan).finally(() => {
        waiting -= 1;
      });
      last = done.catch(() => {});
      return done;
    },
  };
}
