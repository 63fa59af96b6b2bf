import { closeSync, mkdirSync } from 'node:fs';
import { openDirectory, pathIn } from '../paths/entry-handle.ts';
import { fileProblem } from '../paths/file-problem.ts';
import { removeTree } from '../write/remove-tree.ts';
import { stagedName } from '../write/stage-file.ts';

/** A hidden directory that is held; disposed of, it is gone with all that is in it. */
export type StagingDirectory = { descriptor: number; [Symbol.asyncDispose]: () => Promise<void> };

/** Makes one in a held directory, so that what is in it can be moved to its place in one step. */
export function makeStagingDirectory(parent: number): StagingDirectory {
  const name = stagedName();
  try {
    mkdirSync(pathIn(parent, name), 0o700);
    const descriptor = openDirectory(parent, name);
    return {
      descriptor,
      async [Symbol.asyncDispose]() {
        closeSync(descriptor);
        // The code of the session may have taken it away.
        await removeTree(parent, Buffer.from(name)).catch(() => {});
      },
    };
  } catch (error) {
    throw fileProblem(error);
  }
}
