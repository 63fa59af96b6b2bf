import { Problem, type SavedFiles, type Unsaved } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { readWorldVersion } from '../registry/world-files/world-version.ts';

/** The files of a world at one instant. */
export type CapturedFiles = SavedFiles & { version: string };

type Capturing<State, Result> = {
  sessionId: string;
  /** Saves the state of contexts. */
  capture(): Promise<State>;
  /** Makes the world equal to the working copy, and returns the files that cannot be saved. */
  saveFiles(): Promise<Unsaved[]>;
  /** Records the state with these files, if the world still has this version. */
  record(state: State, files: CapturedFiles): Promise<Result | 'files-changed'>;
};

const timesMax = 5;
const listedMax = 1000;

/**
 * Saves a state together with the files that belong to it. The world, which has the files of every step that ended, is read before the
 * state is captured; afterwards it is compared with the working copy, and must be the same. So the files are those that the state was
 * computed with. If they changed in between, for instance because a step ran, everything is done again.
 * @throws Problem 409 if the files keep changing; the errors of `capture`, `saveFiles` and `record`
 */
export async function captureWithFiles<State, Result>(
  { db }: { db: Database },
  { sessionId, capture, saveFiles, record }: Capturing<State, Result>,
): Promise<Result> {
  for (let times = 0; times < timesMax; times++) {
    const world = await readWorldVersion(db, { sessionId });
    const state = await capture();
    const notSaved = boundList(await saveFiles());
    const result = await record(state, { ...world, notSaved });
    if (result !== 'files-changed') return result;
  }
  throw new Problem('context-busy', {
    detail:
      'files of the workspace change again and again, so no files belong to the state; wait for the code that writes them',
  });
}

function boundList(unsaved: readonly Unsaved[]): SavedFiles['notSaved'] {
  const listed = unsaved.slice(0, listedMax).map(({ name, reason }) => ({ name: name.slice(0, 512), reason }));
  const more = unsaved.length - listed.length;
  return more > 0 ? [...listed, { name: '*', reason: `${more} further files could not be saved` }] : listed;
}
