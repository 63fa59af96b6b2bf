import { closeSync, constants, openSync, realpathSync } from 'node:fs';
import { workspaceRoots } from '@holdfast/specs/public';

/** The workspace's own directory, held for as long as the agent lives, and the absolute paths that mean it. */
export type Workspace = { readonly descriptor: number; readonly knownAs: readonly string[]; close: () => void };

/** Opens the directory that all paths are looked up from. */
export function openWorkspace(path: string): Workspace {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    descriptor,
    knownAs: [...new Set([path, realpathSync(path), ...workspaceRoots])],
    close: () => closeSync(descriptor),
  };
}
