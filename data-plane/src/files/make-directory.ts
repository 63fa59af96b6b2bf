import { linklessHeader } from '@holdfast/specs/agent';
import { isOutside } from '@holdfast/specs/public';
import { entryOf } from '../policy/audit/asked-by.ts';
import { withParents } from '../registry/world-files/directories-of.ts';
import { markIfLinked } from '../registry/world-files/mark-if-linked.ts';
import { recordChanges } from '../registry/world-files/record-changes.ts';
import { explainFailedCall } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import { recordChange } from '../world/record-change.ts';
import { hidesSome, refuseHiddenDirectory, refuseIfHiding, refuseProposed } from '../world/refuse-host-change.ts';
import { changeOutside } from './change-outside.ts';
import type { ChangeDependencies } from './delete-file.ts';

type MakeDirectoryInput = { caller: Caller; sessionId: string; path: string };

/**
 * Creates a directory in the working copy and the world, with its parents, or in the sandbox alone if it is outside the workspace.
 * @throws Problem 403, 409, 410, 502, 503, 507
 */
export async function makeDirectory(
  deps: ChangeDependencies,
  { caller, sessionId, path }: MakeDirectoryInput,
): Promise<{ isNew: boolean }> {
  let isNew = false;
  const onHeaders = (_: unknown, status: number) => {
    isNew = status === 201;
  };
  const call = { method: 'POST' as const, path: '/v1/directories', body: { path }, onHeaders };
  if (isOutside(path)) {
    await changeOutside(deps, { caller, sessionId, audited: { operation: 'file.make-directory', path }, call });
    return { isNew };
  }
  const key = { sessionId, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  const isLinkless = hidesSome(route);
  const send = () => deps.agents.call(route, { ...call, ...(isLinkless && { headers: { [linklessHeader]: 'true' } }) });
  const directories = { put: withParents([path]), remove: [] };
  try {
    await deps.worlds.write({ sessionId, route }, async ({ claim, touch }) => {
      await refuseProposed(deps.db, claim, [path]);
      refuseHiddenDirectory(claim, path);
      if (!isLinkless) refuseIfHiding(claim);
      await touch(send, { leavesAll: () => true });
      const entry = entryOf(caller, sessionId, { operation: 'world.make-directory', path });
      await recordChange(deps.db, entry, async (tx) => {
        const marked = await markIfLinked(tx, { claim, paths: directories.put });
        return await recordChanges(tx, { claim: marked, artifacts: [], put: [], remove: [], directories });
      });
    });
    return { isNew };
  } catch (error) {
    throw await explainFailedCall(deps, { key, error });
  }
}
