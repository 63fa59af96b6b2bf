import * as z from 'zod';

/** The longest path and the longest name, in bytes, as in Linux (limits.h). */
const pathBytesMax = 4095;
const nameBytesMax = 255;
/** Names in a path. Each of them is a directory that is open while a file is looked up. */
export const pathNamesMax = 256;

/** The names of incomplete uploads begin with this. No list shows them. */
export const uploadPrefix = '.holdfast-upload-';

/** The absolute paths of the workspace in every sandbox. */
export const workspaceRoots = ['/workspace', '/mnt/data'] as const;

/**
 * The canonical form of a path in the workspace: relative, its names joined by `/`, none of them empty, `.` or `..`. The empty path is
 * the workspace itself. `/workspace/x` and `/mnt/data/x` mean `x`. Pure.
 *
 * @returns null if the path is outside the workspace, has `..`, NUL or a lone surrogate, is too long, has a name that is too long, or
 * names an incomplete upload
 */
export function workspacePath(given: string): string | null {
  if (given.includes('\0') || !given.isWellFormed()) return null;
  const root = workspaceRoots.find((known) => given === known || given.startsWith(`${known}/`));
  if (given.startsWith('/') && !root) return null;
  const names = given
    .slice(root?.length ?? 0)
    .split('/')
    .filter((name) => name !== '' && name !== '.');
  if (names.some((name) => name === '..' || Buffer.byteLength(name) > nameBytesMax)) return null;
  if (names.length > pathNamesMax || names.some((name) => name.startsWith(uploadPrefix))) return null;
  const path = names.join('/');
  return Buffer.byteLength(path) > pathBytesMax ? null : path;
}

/** A path in the workspace, in the form that `workspacePath` gives it. */
export const filePathSchema = z
  .string()
  .max(8192)
  .transform((given, context) => {
    const path = workspacePath(given);
    if (path !== null) return path;
    context.addIssue({ code: 'custom', message: 'must be a path within the workspace' });
    return z.NEVER;
  });
