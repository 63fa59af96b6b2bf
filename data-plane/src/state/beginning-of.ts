import type { LastRecovery, SavedFiles } from '@holdfast/specs/public';

/** A context of which nothing could be saved, and why. */
export type UnsavedContext = { contextId: string; language: string; reason: string };

type Beginning = { unsaved: readonly UnsavedContext[]; files: SavedFiles | null };

/**
 * The report of a new session that begins with the state of another one, before its contexts are loaded: what could not be taken from there.
 * Pure but for the time.
 */
export function beginningOf({ unsaved, files }: Beginning): LastRecovery {
  const contexts = unsaved.map(({ contextId, language, reason }) => ({
    contextId,
    language,
    restored: [],
    replayed: [],
    lost: [{ name: '*', reason }],
    stopped: null,
  }));
  return {
    epoch: 1,
    time: new Date().toISOString(),
    contexts,
    omitted: 0,
    files: { restored: files?.count ?? 0, lost: files?.notSaved ?? [] },
  };
}
