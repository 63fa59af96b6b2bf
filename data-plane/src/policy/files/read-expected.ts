import { policyPresets } from '@holdfast/specs/public';
import type { Database } from '../../registry/connect.ts';
import { listExpectedDirectories, listExpectedFiles } from '../../registry/proposals/list-expected.ts';
import type { ClaimedRules, WorldClaim } from '../../registry/world-files/claim-world.ts';
import type { Tree } from './separate-forbidden.ts';
import { type WorldRules, worldRules } from './world-rules.ts';

/** `all`: the world with the open changes of proposals. `visible`: the part of it that a working copy has under the rules. */
export type Expected = { rules: WorldRules; all: Tree; visible: Tree };

/** Reads what the working copy of a session is expected to be, under the rules of a claim. */
export async function readExpected(
  db: Database,
  { sessionId, rules: claimed }: Pick<WorldClaim, 'sessionId' | 'rules'>,
): Promise<Expected> {
  const rules = worldRules(claimed);
  const files = await listExpectedFiles(db, { sessionId });
  const directories = await listExpectedDirectories(db, { sessionId });
  const all = { files: new Map(files.map((file) => [file.path, file])), directories: new Set(directories) };
  return { rules, all, visible: claimed ? visiblePart(all, rules) : all };
}

/** The files and directories of a tree that the rules do not hide. Pure. */
const visiblePart = ({ files, directories }: Tree, { hides, hidesDirectory }: WorldRules): Tree => ({
  files: new Map([...files].filter(([path]) => !hides(path))),
  directories: new Set([...directories].filter((path) => !hidesDirectory(path))),
});

/** The rules for a working copy that is only read or filled: they matter for what is hidden. Pure. */
export const fillingRules = (readPatterns: readonly string[]): ClaimedRules => ({
  ...policyPresets.unrestricted.world,
  readPatterns,
  filledPatterns: readPatterns,
  isProposing: false,
  isFull: false,
});
