import { languagesWithSnapshots } from '@holdfast/specs/public';
import type { Queries } from '../../registry/queries.ts';
import { listContextsToSave } from '../../registry/snapshots/list-contexts-to-save.ts';
import type { AutoSnapshots } from '../../state/auto-snapshots.ts';

type Dependencies = { db: Queries; autoSnapshots: Pick<AutoSnapshots, 'note'> };

/** By then the replica that drove the step has saved it, or is gone. */
const unsavedSeconds = 5;
const limit = 50;

/** Saves the contexts that a replica left unsaved when it died. */
export async function noteUnsavedContexts({ db, autoSnapshots }: Dependencies): Promise<void> {
  const languages = [...languagesWithSnapshots];
  for (const context of await listContextsToSave(db, { languages, seconds: unsavedSeconds, limit })) {
    autoSnapshots.note(context);
  }
}
