import type { WatchLine } from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';
import type { Workspace } from '../paths/open-workspace.ts';
import { createDirectoryWatches } from './directory-watches.ts';
import { FileWatch } from './file-watch.ts';

const watchesMax = 16;

/** A watch that has begun. Close it when its reader is gone. */
export type OpenWatch = { batches: () => AsyncGenerator<WatchLine[]>; close: () => void };

export type FileWatches = { open: (options: { path: string; recursive: boolean }) => Promise<OpenWatch> };

/** The watches of all readers. */
export function createFileWatches(workspace: Workspace): FileWatches {
  const watches = createDirectoryWatches();
  const open = new Set<FileWatch>();
  return {
    async open(options) {
      if (open.size >= watchesMax) {
        throw new Problem('quota-exceeded', { detail: `a session has at most ${watchesMax} watches at a time` });
      }
      const watch = new FileWatch({ workspace, watches }, options);
      const close = () => {
        open.delete(watch);
        watch.close();
      };
      open.add(watch);
      try {
        await watch.open();
      } catch (error) {
        close();
        throw error;
      }
      return { batches: () => watch.batches(), close };
    },
  };
}
