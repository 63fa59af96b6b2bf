import type { FileState } from '@holdfast/specs/public';
import type { NewWorldFile } from '../../registry/world-files/record-changes.ts';

type State = Pick<NewWorldFile, 'sha256' | 'executable' | 'mode' | 'target'>;

/** Whether two files, or two links, are the same. A mode or an executable bit that is not known is equal to any. Pure. */
export const isSameFile = (one: State, other: State): boolean =>
  one.sha256 === other.sha256 &&
  (one.target ?? null) === (other.target ?? null) &&
  (one.executable ?? other.executable) === (other.executable ?? one.executable) &&
  (one.mode ?? other.mode ?? null) === (other.mode ?? one.mode ?? null);

/** The state of a file as a proposal has it. Pure. */
export const stateOf = ({
  size,
  sha256,
  executable,
  mode,
  target,
}: NewWorldFile & { executable: boolean }): FileState => ({
  ...{ size, sha256, executable },
  ...(mode && { mode }),
  ...(target && { target }),
});
