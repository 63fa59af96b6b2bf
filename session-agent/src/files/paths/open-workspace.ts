import { closeSync, constants, fstatSync, openSync, realpathSync } from 'node:fs';
import { workspaceRoots } from '@holdfast/specs/public';

/** A directory below which paths are resolved, open as long as the agent lives, and the absolute paths that stand for it. */
export type Root = { readonly descriptor: number; readonly knownAs: readonly string[] };

/** The workspace's own directory, and the roots outside it. */
export type Workspace = Root & {
  readonly identity: { readonly dev: bigint; readonly ino: bigint };
  readonly outside: readonly Root[];
  close: () => void;
};

/** Opens the directories from which all paths are resolved, before any code could replace one of them. */
export function openWorkspace(path: string, fileRoots: readonly string[] = []): Workspace {
  const { descriptor, knownAs } = openRoot(path);
  const outside = fileRoots.map(openRoot);
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  return {
    descriptor,
    knownAs: [...new Set([...knownAs, ...workspaceRoots])],
    identity: { dev, ino },
    outside,
    close() {
      for (const root of [{ descriptor }, ...outside]) closeSync(root.descriptor);
    },
  };
}

function openRoot(path: string): Root {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  return { descriptor, knownAs: [...new Set([path, realpathSync(path)])] };
}
