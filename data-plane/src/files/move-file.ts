import { linklessHeader } from '@holdfast/specs/agent';
import { isOutside, type MoveFile, Problem } from '@holdfast/specs/public';
import { entryOf } from '../policy/audit/asked-by.ts';
import { directoriesOf } from '../registry/world-files/directories-of.ts';
import { markIfLinked } from '../registry/world-files/mark-if-linked.ts';
import { moveWorldFiles } from '../registry/world-files/move-world-files.ts';
import { explainFailedCall } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import { recordChange } from '../world/record-change.ts';
import { hidesSome, refuseHidden, refuseIfHiding, refuseProposed } from '../world/refuse-host-change.ts';
import { changeOutside } from './change-outside.ts';
import type { ChangeDependencies } from './delete-file.ts';

/**
 * Moves a file or directory in the working copy and the world, or in the sandbox alone if it is outside the workspace.
 * @throws Problem 403, 404, 409, 410, 502, 503, 507
 */
export async function moveFile(
  deps: ChangeDependencies,
  { caller, sessionId, move }: { caller: Caller; sessionId: string; move: MoveFile },
): Promise<void> {
  const call = { method: 'POST' as const, path: '/v1/files/move', body: move };
  if (isOutside(move.from) !== isOutside(move.to)) throw betweenRoots();
  if (isOutside(move.from)) {
    const audited = { operation: 'file.move', from: move.from, to: move.to };
    return await changeOutside(deps, { caller, sessionId, audited, call });
  }
  const key = { sessionId, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  const isLinkless = hidesSome(route);
  const send = () => deps.agents.call(route, { ...call, ...(isLinkless && { headers: { [linklessHeader]: 'true' } }) });
  try {
    await deps.worlds.write({ sessionId, route }, async ({ claim, touch }) => {
      await refuseProposed(deps.db, claim, [move.from, move.to]);
      refuseHidden(claim, [move.to]);
      if (!isLinkless) refuseIfHiding(claim);
      await touch(send, { leavesAll: () => true });
      const entry = entryOf(caller, sessionId, { operation: 'world.move', from: move.from, to: move.to });
      const paths = [move.from, move.to].flatMap(directoriesOf);
      await recordChange(deps.db, entry, async (tx) => {
        const marked = await markIfLinked(tx, { claim, paths });
        return await moveWorldFiles(tx, { claim: marked, from: move.from, to: move.to });
      });
    });
  } catch (error) {
    throw await explainFailedCall(deps, { key, error });
  }
}

const betweenRoots = () =>
  new Problem('outside-workspace', {
    detail: 'one path is in the workspace and the other is outside it: read the file and write it at the other path',
  });
