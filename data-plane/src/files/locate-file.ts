import { isOutside, Problem } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';

export type LocateDependencies = {
  db: Database;
  /** The places of the workspace in the sandboxes of profiles, by their names. */
  workspacePaths: ReadonlyMap<string, string>;
};

type LocateInput = { caller: Caller; sessionId: string; path: string };

/**
 * The form in which the world knows a path: one below the place that the session's profile has for the workspace becomes relative to it.
 * @throws Problem 404
 */
export async function locateFile(
  { db, workspacePaths }: LocateDependencies,
  { caller, sessionId, path }: LocateInput,
): Promise<string> {
  if (!isOutside(path) || workspacePaths.size === 0) return path;
  const { profile } = await existingSession(db, { id: sessionId, tenant: caller.tenant });
  const root = workspacePaths.get(profile);
  return root !== undefined && `${path}/`.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

/**
 * As `locateFile`, for an operation on a single file, which the workspace itself is not.
 * @throws Problem 400, 404
 */
export async function locateNamedFile(
  deps: LocateDependencies,
  { pointer = 'path/path', ...input }: LocateInput & { pointer?: string },
): Promise<string> {
  const path = await locateFile(deps, input);
  if (path !== '') return path;
  const detail = 'this is the workspace itself: a file must be named';
  throw new Problem('invalid-request', { detail, errors: [{ pointer, detail }] });
}
