import { type ApplyPatchResult, applyDiff, type Editor } from '@openai/agents';
import { isRefusal } from '../../http/holdfast-error.ts';
import type { Session } from '../../sessions/session.ts';
import type { Workspace } from '../running/workspace.ts';

/** Applies the patches of a model to the files of a session. A patch that does not fit fails, and changes nothing. */
export function createEditor({ files }: Session, workspace: Workspace): Editor {
  return {
    createFile: ({ path, diff }) =>
      attempt(`Created ${path}`, async () => {
        await files.write(workspace.inApi(path), applyDiff('', diff, 'create'), { ifAbsent: true });
      }),

    updateFile: ({ path, diff, moveTo }) =>
      attempt(`Updated ${path}`, async () => {
        const from = workspace.inApi(path);
        const before = await files.read(from);
        const after = applyDiff(new TextDecoder('utf-8', { fatal: true }).decode(before), diff);
        const to = moveTo ? workspace.inApi(moveTo) : from;
        const isMoved = to !== from;
        // The move fails first, if something is at its end.
        if (isMoved) await files.move(from, to);
        await files.write(to, after, { ifSha256: await sha256Of(before) }).catch(async (error) => {
          if (isMoved) await files.move(to, from);
          throw error;
        });
      }),

    deleteFile: ({ path }) => attempt(`Deleted ${path}`, () => files.delete(workspace.inApi(path))),
  };
}

async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A model can mend a patch that failed; a session that is gone it cannot. */
async function attempt(done: string, change: () => Promise<void>): Promise<ApplyPatchResult> {
  try {
    await change();
    return { status: 'completed', output: done };
  } catch (error) {
    if (isRefusal(error, 'session-ended')) throw error;
    return { status: 'failed', output: error instanceof Error ? error.message : String(error) };
  }
}
