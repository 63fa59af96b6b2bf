import { closeSync, constants, openSync, realpathSync } from 'node:fs';
import { workspaceRoots } from '@holdfast/specs/public';

/** The workspace's own directory, open as long as the agent lives, and the absolute paths that stand for it. */
export type Workspace = { readonly descriptor: number; readonly knownAs: readonly string[]; close: () => void };

/** Opens the directory from which all paths are resolved. */
export function openWorkspace(path: string): Workspace {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    descriptor,
    knownAs: [...new Set([path, realpathSync(path), ...workspaceRoots])],
    close: () => closeSync(descriptor),
  };
}
