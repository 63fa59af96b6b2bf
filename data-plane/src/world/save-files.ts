import { nameLengthMax, type Unsaved } from '@holdfast/specs/public';
import { readExpected } from '../policy/files/read-expected.ts';
import type { WorldClaim } from '../registry/world-files/claim-world.ts';
import { releaseWorld } from '../registry/world-files/release-world.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { compareWorld } from './compare-world.ts';
import type { Worlds } from './create-worlds.ts';
import type { SettleDependencies } from './settle-world.ts';

export type SaveFilesDependencies = SettleDependencies & { worlds: Pick<Worlds, 'write'> };

/**
 * Saves files that changed outside of any step, and compares the world with the working copy once more.
 * @returns the files that are not saved
 */
export async function saveFiles(
  deps: SaveFilesDependencies,
  { route, signal }: { route: Route; signal: AbortSignal },
): Promise<Unsaved[]> {
  const { db, worlds, limits } = deps;
  const { sessionId } = route;
  // A marked world is compared with the working copy before the next write.
  let rules: WorldClaim['rules'] = null;
  for (const isUnsettled of [true, false]) {
    await worlds.write({ sessionId, route }, async ({ claim }) => {
      rules = claim.rules;
      await releaseWorld(db, { ...claim, isUnsettled: isUnsettled || claim.isUnsettled });
    });
  }
  const fileBytesMax = Math.max(limits.uploadBytesMax, limits.keptFileBytesMax);
  const { visible: expected } = await readExpected(db, { sessionId, rules });
  const comparing = { route, expected, signal };
  const { changes, directories, others, isCut } = await compareWorld({ ...deps, fileBytesMax }, comparing);
  return [
    ...changes.map(({ path }) => unsaved(path, 'the file is beyond a limit')),
    ...directories.put.map((path) => unsaved(path, 'the directory is beyond a limit')),
    ...others.map(({ path, kind }) =>
      unsaved(path, kind === 'link' ? 'the target of the link is not text' : 'it is not a file with a valid name'),
    ),
    ...(isCut ? [unsaved('*', 'there are too many files')] : []),
  ];
}

const unsaved = (name: string, reason: string): Unsaved => ({
  contextId: null,
  name: name.slice(0, nameLengthMax),
  reason,
});
