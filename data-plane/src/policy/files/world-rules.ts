import type { ClaimedRules } from '../../registry/world-files/claim-world.ts';
import { matchesName } from '../rules/name-patterns.ts';
import { allowsPath } from '../rules/path-patterns.ts';

/** The part of the policy that forbids a change. `world.proposalMode`: too many proposals are open. */
export type WorldRule = 'world.readOnly' | 'world.readPatterns' | 'world.writePatterns' | 'world.proposalMode';

export type WorldRules = ReturnType<typeof worldRules>;

/** The rules for files as of one claim of the world. `claimed` is null if there are none. Pure. */
export function worldRules(claimed: ClaimedRules | null) {
  if (!claimed) return noRules;
  const { readPatterns, filledPatterns, writePatterns, readOnly, isProposing, isFull } = claimed;
  const full: WorldRule | null = isProposing && isFull ? 'world.proposalMode' : null;
  // Until the working copy is adapted to new patterns, code has seen neither what these hide nor what the earlier ones hid.
  const visible = [readPatterns, filledPatterns].filter((patterns) => !allowsEverything(patterns));
  const hides = (path: string) => !visible.every((patterns) => allowsPath(patterns, path));
  const hidesDirectory = (path: string) => !visible.every((patterns) => mayHoldAllowed(patterns, path));
  return {
    isProposing,
    hidesSome: visible.length > 0,
    hides,
    hidesDirectory,
    forbids(path: string): WorldRule | null {
      if (readOnly) return 'world.readOnly';
      if (hides(path)) return 'world.readPatterns';
      return allowsPath(writePatterns, path) ? full : 'world.writePatterns';
    },
    /** A directory may be made and removed if a file in it may be. */
    forbidsDirectory(path: string): WorldRule | null {
      if (readOnly) return 'world.readOnly';
      if (hidesDirectory(path)) return 'world.readPatterns';
      return mayHoldAllowed(writePatterns, path) ? full : 'world.writePatterns';
    },
  };
}

const noRules = {
  isProposing: false,
  hidesSome: false,
  hides: () => false,
  hidesDirectory: () => false,
  forbids: (): WorldRule | null => null,
  forbidsDirectory: (): WorldRule | null => null,
};

const allowsEverything = (patterns: readonly string[]) => patterns.includes('**');

/** Whether the patterns allow the directory itself or any path below it. */
const mayHoldAllowed = (patterns: readonly string[], directory: string): boolean =>
  patterns.some((pattern) => reaches(pattern.split('/'), directory.split('/')));

function reaches(pattern: readonly string[], names: readonly string[]): boolean {
  for (const [at, name] of names.entries()) {
    const part = pattern[at];
    if (part === '**') return true;
    if (part === undefined || !matchesName(part, name)) return false;
  }
  return true;
}
