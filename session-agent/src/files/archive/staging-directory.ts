import { closeSync, mkdirSync } from 'node:fs';
import { openDirectory, pathIn } from '../paths/entry-handle.ts';
import { fileProblem } from '../paths/file-problem.ts';
import { removeTree } from '../write/remove-tree.ts';
import { stagedName } from '../write/stage-file.ts';

/** An open hidden directory. Disposing of it deletes it with everything in it. */
export type StagingDirectory = { descriptor: number; [Symbol.asyncDispose]: () => Promise<void> };

/** Creates a hidden directory in an open directory, on the same file system, so that its files can be moved out atomically. */
export function makeStagingDirectory(parent: number): StagingDirectory {
  const name = stagedName();
  try {
    mkdirSync(pathIn(parent, name), 0o700);
    const descriptor = openDirectory(parent, name);
    return {
      descriptor,
      async [Symbol.asyncDispose]() {
        closeSync(descriptor);
        // The session's code may have removed it already.
        await removeTree(parent, Buffer.from(name)).catch(() => {});
      },
    };
  } catch (error) {
    throw fileProblem(error);
  }
}
