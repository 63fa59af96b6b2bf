import { isOutside } from '@holdfast/specs/public';
import { openWorkspace, type Workspace } from './paths/open-workspace.ts';
import { createFileDigests, type FileDigests } from './read/file-digests.ts';
import { createTouchedVersions, type TouchedVersions } from './read/touched-versions.ts';
import { WorkspaceWatch } from './scan/workspace-watch.ts';
import { createFileWatches, type FileWatches } from './watch/file-watches.ts';
import { createPathLocks, type PathLocks } from './write/path-locks.ts';

/** The workspace with its locks, digests and limits. */
export type WorkspaceFiles = {
  workspace: Workspace;
  /** The name of the user and the group of the sandbox, if its profile gives them one. */
  ownName?: string;
  digests: FileDigests;
  touched: TouchedVersions;
  locks: PathLocks;
  watch: WorkspaceWatch;
  /** The watches of clients. */
  watches: FileWatches;
  fileBytesMax: number;
  archiveBytesMax: number;
  /** Call after the host has changed something at these paths, so that the change is not attributed to a step. */
  changedByHost: (...paths: string[]) => void;
};

/** Opens the workspace for the host. */
export function openWorkspaceFiles({
  workspace: path,
  ownName,
  fileRoots = [],
  ...limits
}: {
  workspace: string;
  ownName?: string | undefined;
  /** Directories outside the workspace in which the host may read and write files. */
  fileRoots?: readonly string[];
  fileBytesMax: number;
  archiveBytesMax: number;
}): WorkspaceFiles {
  const workspace = openWorkspace(path, fileRoots);
  const watch = new WorkspaceWatch({ workspace });
  return {
    ...limits,
    ...(ownName && { ownName }),
    workspace,
    watch,
    watches: createFileWatches(workspace),
    digests: createFileDigests(),
    touched: createTouchedVersions(),
    locks: createPathLocks(),
    changedByHost(...paths) {
      if (!paths.every(isOutside)) watch.changedByHost();
    },
  };
}
