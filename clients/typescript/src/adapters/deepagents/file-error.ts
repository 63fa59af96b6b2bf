import type { FileOperationError } from 'deepagents';
import { HoldfastError } from '../../http/holdfast-error.ts';
import { FileTooLarge } from '../running/read-at-most.ts';

/**
 * The error of the framework that stands for this one.
 * @throws the error itself if it is not about the file
 */
export function fileErrorOf(error: unknown): FileOperationError {
  if (error instanceof FileTooLarge) return 'permission_denied';
  const code = error instanceof HoldfastError ? fileErrors[error.code] : undefined;
  if (!code) throw error;
  return code;
}

const fileErrors: { [code in HoldfastError['code']]?: FileOperationError } = {
  'not-found': 'file_not_found',
  'path-conflict': 'is_directory',
  'outside-workspace': 'permission_denied',
  'policy-denied': 'permission_denied',
  'invalid-request': 'invalid_path',
};
