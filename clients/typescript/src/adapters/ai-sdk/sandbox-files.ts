import type { Experimental_SandboxSession as SandboxSession } from 'ai';
import type { FileStat } from '../../generated/api.ts';
import { HoldfastError, isRefusal } from '../../http/holdfast-error.ts';
import type { Session } from '../../sessions/session.ts';
import { readWhole } from '../running/read-at-most.ts';
import type { Workspace } from '../running/workspace.ts';

type SandboxFiles = Omit<SandboxSession, 'description' | 'run' | 'spawn'>;

/** The files of a session as the AI SDK's tools expect them: a path without a file is null, and one that does not fit is an error. */
export function createSandboxFiles({ files }: Session, workspace: Workspace, bytesMax: number): SandboxFiles {
  const read = async (path: string, signal?: AbortSignal) =>
    await readWhole(await files.stream(workspace.inApi(path), { signal }), { path, bytesMax });
  /** Follows links, as the kernel does at most. */
  const stat = async (path: string, signal?: AbortSignal): Promise<FileStat | null> => {
    let at = workspace.absolute(path);
    for (let links = 0; links < 40; links++) {
      const found = await files.stat(workspace.inApi(at), { signal });
      if (found?.kind !== 'link' || found.linkTarget === null) return found;
      at = workspace.absolute(found.linkTarget.startsWith('/') ? found.linkTarget : `${at}/../${found.linkTarget}`);
    }
    throw new Error(`${path} leads through too many links`);
  };

  return {
    readFile: ({ path, abortSignal: signal }) => orNull(files.stream(workspace.inApi(path), { signal })),

    readBinaryFile: ({ path, abortSignal: signal }) => orNull(read(path, signal)),

    async readTextFile({ path, encoding = 'utf-8', startLine, endLine, abortSignal: signal }) {
      const bytes = await orNull(read(path, signal));
      return bytes && linesOf(new TextDecoder(encoding).decode(bytes), startLine, endLine);
    },

    async writeFile({ path, content, abortSignal: signal }) {
      await files.write(workspace.inApi(path), content, { signal });
    },

    async writeBinaryFile({ path, content, abortSignal: signal }) {
      await files.write(workspace.inApi(path), content as Uint8Array<ArrayBuffer>, { signal });
    },

    async writeTextFile({ path, content, encoding = 'utf-8', abortSignal: signal }) {
      if (!/^utf-?8$/i.test(encoding)) throw new RangeError(`text can be written as UTF-8, and not as ${encoding}`);
      await files.write(workspace.inApi(path), content, { signal });
    },

    async stat({ path, abortSignal }) {
      const found = await stat(path, abortSignal);
      return found && { type: found.kind === 'link' ? 'other' : found.kind, size: found.size };
    },

    async listDirectory({ path, abortSignal: signal }) {
      const found = await stat(path, signal);
      if (!found) return null;
      if (found.kind !== 'directory') throw new HoldfastError('path-conflict', `${path} is not a directory`);
      const entries = await files.list(found.path, { signal });
      if (entries.truncated) throw new Error(`${path} has more entries than a list can hold`);
      return entries.map((entry) => ({
        name: entry.path.slice(entry.path.lastIndexOf('/') + 1),
        type: entry.kind === 'link' ? ('symlink' as const) : entry.kind,
      }));
    },

    async deleteFile({ path, abortSignal: signal }) {
      const inApi = workspace.inApi(path);
      const found = await files.stat(inApi, { signal });
      if (found?.kind === 'directory') throw new HoldfastError('path-conflict', `${path} is a directory`);
      const deleted = found && (await orNull(files.delete(inApi, { signal }).then(() => true)));
      return deleted ?? false;
    },
  };
}

async function orNull<Value>(reading: Promise<Value>): Promise<Value | null> {
  return await reading.catch((error) => {
    if (isRefusal(error, 'not-found')) return null;
    throw error;
  });
}

/** The lines from `start` to `end`, both counted from 1, with the line endings that the text has. */
function linesOf(text: string, start?: number, end?: number): string {
  if (start === undefined && end === undefined) return text;
  const ending = ['\r\n', '\n', '\r'].find((candidate) => text.includes(candidate)) ?? '\n';
  return text
    .split(ending)
    .slice(Math.max(1, start ?? 1) - 1, end)
    .join(ending);
}
