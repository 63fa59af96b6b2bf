import { Problem } from '@holdfast/specs/public';

/** Translates a failed system call into a Problem for the caller. Returns an error that no caller could cause unchanged. */
export function fileProblem(cause: unknown): unknown {
  const code = systemCode(cause);
  if (code === undefined) return cause;
  if (isMissing(cause)) return new Problem('not-found', { detail: 'this file does not exist', cause });
  if (diskFull.has(code)) return new Problem('workspace-full', { detail: 'the disk or its quota is full', cause });
  const detail = conflicts[code];
  return detail ? new Problem('path-conflict', { detail, cause }) : cause;
}

/** The `code` of a system error, such as ENOENT. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export const isMissing = (error: unknown): boolean => systemCode(error) === 'ENOENT';

/** errno(3); EFBIG is a file size limit of the process. */
const diskFull: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

const conflicts: Record<string, string | undefined> = {
  EACCES: 'permission is denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  EEXIST: 'something already exists at this path',
  ENOTEMPTY: 'the directory is not empty',
  EISDIR: 'it is a directory',
  ENOTDIR: 'it is not a directory',
  ELOOP: 'it has just been replaced by a link',
  EINVAL: 'a directory cannot be moved into itself',
  EXDEV: 'it is on another file system',
  EBUSY: 'it is in use',
  ETXTBSY: 'it is a running program',
  ENXIO: 'it is not a regular file',
  ENAMETOOLONG: 'the name is too long for the file system',
};
