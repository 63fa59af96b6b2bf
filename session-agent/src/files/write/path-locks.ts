import { fstatSync } from 'node:fs';
import type { ResolvedPath } from '../paths/resolve-path.ts';

/** Runs one piece of work at a time for each file, in the order of the calls. */
export type PathLocks = { run: <Result>(target: ResolvedPath, work: () => Promise<Result>) => Promise<Result> };

/** Files are identified by their directory's inode and name, since links give one file many paths. */
export function createPathLocks(): PathLocks {
  const last = new Map<string, Promise<unknown>>();
  return {
    run(target, work) {
      const key = keyOf(target);
      const before = last.get(key) ?? Promise.resolve();
      const done = before.then(work, work);
      const settled = done.catch(() => {}).finally(() => last.get(key) === settled && last.delete(key));
      last.set(key, settled);
      return done;
    },
  };
}

function keyOf({ directory, missing, name }: ResolvedPath): string {
  const { dev, ino } = fstatSync(directory, { bigint: true });
  return [`${dev}:${ino}`, ...missing, name].join('/');
}
