import { type FSWatcher, readFileSync, type WatchListener, watch } from 'node:fs';
import { fileProblem, systemCode } from '../paths/file-problem.ts';

/** For all watches of the sandbox together. A watched directory takes about 2 KiB of memory. */
const directoriesMax = 10_000;
const queueMaxFile = '/proc/sys/fs/inotify/max_queued_events';
/** So many events of one turn take the agent some tens of milliseconds, in which it does nothing else. */
const eventsInTurnMax = 4096;

/** Receives what the kernel says about one directory. `name` is null if it is about the directory itself. */
type Listener = { onEvent: (name: Buffer | null, isEntry: boolean) => void; onLoss: () => void };

/** More directories would have to be watched than a sandbox may. */
export class TooManyDirectories extends Error {}

export type DirectoryWatches = ReturnType<typeof createDirectoryWatches>;

/**
 * The kernel's watches of directories (inotify(7)), which all share one queue. Node does not tell that the kernel has dropped events from
 * it. But a queue that ran over was full, and all of it comes in one turn of the event loop. So a turn with as many events, or with more than
 * the agent has time for, stands for a loss, and ends all watches at once: however fast code changes files, the agent has a turn for its other work.
 */
export function createDirectoryWatches() {
  const open = new Map<FSWatcher, Listener>();
  let turnMax: number | undefined;
  let inThisTurn = 0;

  function count(): void {
    if (inThisTurn++ === 0) setImmediate(endTurn);
    turnMax ??= Math.min(eventsInTurnMax, queueMax());
    if (inThisTurn < turnMax) return;
    for (const [watcher, { onLoss }] of [...open]) {
      close(watcher);
      onLoss();
    }
  }

  function endTurn(): void {
    inThisTurn = 0;
  }

  function close(watcher: FSWatcher): void {
    open.delete(watcher);
    watcher.close();
  }

  return {
    /**
     * Watches the directory behind a descriptor, which may be closed afterwards.
     * @throws TooManyDirectories; Problem `path-conflict` if it cannot be read
     */
    add(directory: number, listener: Listener): { close: () => void } {
      if (open.size >= directoriesMax) throw new TooManyDirectories('too many directories: watch a part of them');
      // Events about the directory itself have the last name of this path, and no file is called `.`.
      const watcher = openOrThrow(`/proc/self/fd/${directory}/.`, (type, name) => {
        const isItself = name === null || (name.length === 1 && name[0] === 0x2e);
        listener.onEvent(isItself ? null : name, type === 'rename');
        count();
      });
      open.set(watcher, listener);
      watcher.on('error', () => {
        close(watcher);
        listener.onLoss();
      });
      return { close: () => close(watcher) };
    },
  };
}

function openOrThrow(path: string, listener: WatchListener<Buffer>): FSWatcher {
  try {
    return watch(path, 'buffer', listener);
  } catch (error) {
    const code = systemCode(error);
    if (code !== 'ENOSPC' && code !== 'EMFILE') throw fileProblem(error);
    throw new TooManyDirectories("the sandbox's machine allows no more watches", { cause: error });
  }
}

/** How many events the queue holds. Not every kernel tells. */
function queueMax(): number {
  try {
    return Number.parseInt(readFileSync(queueMaxFile, 'utf8'), 10) || eventsInTurnMax;
  } catch {
    return eventsInTurnMax;
  }
}
