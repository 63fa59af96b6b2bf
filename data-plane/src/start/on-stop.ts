import type { Logger } from '../observability/logger.ts';

/** Stops one part. `force` ends a wait early. */
type Stop = (force: AbortSignal) => Promise<unknown>;

/** Registers how a part that was just started is stopped. */
export type OnStop = (stop: Stop) => void;

/** Remembers how each part is stopped, and stops them in reverse order. A part that fails to stop is logged and does not keep the others. */
export function createStops(log: Pick<Logger, 'error'>): {
  onStop: OnStop;
  stopAll(force: AbortSignal): Promise<void>;
} {
  const stops: Stop[] = [];
  return {
    onStop: (stop) => stops.push(stop),
    async stopAll(force) {
      for (let stop = stops.pop(); stop; stop = stops.pop()) {
        await stop(force).catch((err) => log.error({ err }, 'a part of the data-plane failed to stop'));
      }
    },
  };
}
