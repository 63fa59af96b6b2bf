import { Problem } from '@holdfast/specs/public';

/** What a failed system call says to the caller. Anything that no caller could cause stays as it is. */
export function fileProblem(cause: unknown): unknown {
  const code = systemCode(cause);
  if (code === undefined) return cause;
  if (isMissing(cause)) return new Problem('not-found', { detail: 'there is no such file', cause });
  if (full.has(code)) return new Problem('workspace-full', { detail: 'the disk or its quota is full', cause });
  const detail = inTheWay[code];
  return detail ? new Problem('path-conflict', { detail, cause }) : cause;
}

/** The `code` of a system error, such as ENOENT. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export const isMissing = (error: unknown): boolean => systemCode(error) === 'ENOENT';

/** errno(3); EFBIG is a file size limit of the process. */
const full: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

const inTheWay: Record<string, string | undefined> = {
  EACCES: 'permission is denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  EEXIST: 'there is something already',
  ENOTEMPTY: 'the directory is not empty',
  EISDIR: 'it is a directory',
  ENOTDIR: 'it is no directory',
  ELOOP: 'it changed into a link meanwhile',
  EINVAL: 'a directory cannot be moved into itself',
  EXDEV: 'it lies on another file system',
  EBUSY: 'it is in use',
  ETXTBSY: 'it is a program that runs',
  ENXIO: 'it is no regular file',
  ENAMETOOLONG: 'the name is too long for the file system',
};
