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
  const root = workspaceRoots.find((known) => given === known || given.startsWith(`${known}/`));
  return given.startsWith('/') && !root ? null : relativePath(given.slice(root?.length ?? 0));
}

/**
 * The canonical form of a path in a sandbox: that of `workspacePath` in the workspace, and otherwise absolute, its names joined by `/`.
 * Only the sandbox knows which of the latter exist and are allowed. Pure.
 *
 * @returns null for the reasons of `workspacePath`, but for that it is outside the workspace
 */
export function sandboxPath(given: string): string | null {
  const inside = workspacePath(given);
  if (inside !== null || !given.startsWith('/')) return inside;
  const below = relativePath(given);
  // Without its empty names and dots, it may be one of the workspace after all.
  return below === null ? null : (workspacePath(`/${below}`) ?? `/${below}`);
}

/** Whether a path in the form of `sandboxPath` is outside the workspace. Pure. */
export const isOutside = (path: string): boolean => path.startsWith('/');

/** The URL of a file of a session, relative to the server. An absolute path is one part of it, because proxies join slashes. Pure. */
export function fileUrl({ sessionId, path }: { sessionId: string; path: string }): string {
  const names = isOutside(path) ? [path] : path.split('/');
  return `/v1/sessions/${sessionId}/files/${names.map(encodeURIComponent).join('/')}`;
}

function relativePath(given: string): string | null {
  if (given.includes('\0') || !given.isWellFormed()) return null;
  const names = given.split('/').filter((name) => name !== '' && name !== '.');
  if (names.some((name) => name === '..' || Buffer.byteLength(name) > nameBytesMax)) return null;
  if (names.length > pathNamesMax || names.some((name) => name.startsWith(uploadPrefix))) return null;
  const path = names.join('/');
  return Buffer.byteLength(path) > pathBytesMax ? null : path;
}

const pathSchema = (canonical: (given: string) => string | null, message: string) =>
  z
    .string()
    .max(8192)
    .transform((given, context) => {
      const path = canonical(given);
      if (path !== null) return path;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });

/** A path in the workspace, in the form that `workspacePath` gives it. */
export const filePathSchema = pathSchema(workspacePath, 'must be a path within the workspace');

/** A path in the workspace or elsewhere in the sandbox, in the form that `sandboxPath` gives it. */
export const sandboxPathSchema = pathSchema(
  sandboxPath,
  'must be a path within the workspace, or an absolute one without `..`',
);
