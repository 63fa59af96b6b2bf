import { fstatSync } from 'node:fs';
import type { ResolvedPath } from '../paths/resolve-path.ts';

/** Does one thing at a time for each place, in the order of the calls. */
export type PathLocks = { run: <Result>(place: ResolvedPath, work: () => Promise<Result>) => Promise<Result> };

/** Places are told apart by what they are and not by what they are called, since links give them many names. */
export function createPathLocks(): PathLocks {
  const last = new Map<string, Promise<unknown>>();
  return {
    run(place, work) {
      const key = placeKey(place);
      const before = last.get(key) ?? Promise.resolve();
      const done = before.then(work, work);
      const settled = done.catch(() => {}).finally(() => last.get(key) === settled && last.delete(key));
      last.set(key, settled);
      return done;
    },
  };
}

function placeKey({ directory, missing, name }: ResolvedPath): string {
  const { dev, ino } = fstatSync(directory, { bigint: true });
  return [`${dev}:${ino}`, ...missing, name].join('/');
}
