import type { AgentWritten } from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';
import { fileProblem } from '../paths/file-problem.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { type ResolvedPath, resolvePath } from '../paths/resolve-path.ts';
import type { FileDigests } from '../read/file-digests.ts';
import { permissionsIn, versionOf } from '../scan/scan-record.ts';
import { assertCondition, type FileCondition } from './file-condition.ts';
import type { PathLocks } from './path-locks.ts';
import { type StagedFile, stageFile } from './stage-file.ts';

export type WriteFileInput = {
  path: string;
  body: AsyncIterable<Uint8Array>;
  bytesMax: number;
  condition?: FileCondition;
  /** The expected digest of the body, in hexadecimal digits. */
  sha256?: string | undefined;
  /** Whether its owner may execute the file. Otherwise a file that is replaced keeps its mode. */
  executable?: boolean;
  /** Whether a link on the path is refused. */
  isLinkless?: boolean;
  /** Restores a state of the world: whatever but a directory is at exactly this path is replaced. The mode is null if it is not known. */
  restoring?: { mode: number | null } | undefined;
};

/**
 * Replaces a file as a whole or not at all. Creates missing directories above it.
 *
 * @throws Problem `body-too-large`, `digest-mismatch`, `precondition-failed`, `workspace-full`, `path-conflict` (a directory is there), and
 * the problems of `resolvePath`
 */
export async function writeFile(
  deps: { workspace: Workspace; digests: FileDigests; locks: PathLocks },
  { path, body, bytesMax, condition = {}, sha256, executable = false, isLinkless = false, restoring }: WriteFileInput,
): Promise<AgentWritten & { isNew: boolean }> {
  const exact = restoring !== undefined;
  using target = resolvePath(deps.workspace, path, { follow: !exact, exact, isLinkless });
  assertReplaceable(target, { exact });
  const mode = restoring?.mode ?? (executable ? 0o777 : 0o666);
  const hasExactMode = typeof restoring?.mode === 'number';
  using staged = await stageFile(target.directory, {
    body,
    bytesMax,
    mode,
    keepsMode: !executable && !exact,
    hasExactMode,
  });
  if (sha256 !== undefined && sha256 !== staged.sha256) {
    throw new Problem('digest-mismatch', { detail: `the body's sha256 is ${staged.sha256}` });
  }
  return await deps.locks.run(target, async () => {
    using now = resolvePath(deps.workspace, path, { follow: !exact, exact, isLinkless });
    await assertCondition(deps.digests, { target: now, condition });
    const { isNew, version } = moveIntoPlace(deps.workspace, { path, staged, exact, isLinkless });
    return { path, size: staged.size, sha256: staged.sha256, ...permissionsIn(version), isNew };
  });
}

type Placing = { path: string; staged: Pick<StagedFile, 'moveTo'>; exact?: boolean; isLinkless?: boolean };

/** Moves a staged file to its path and returns its version there. Resolves the path again, since receiving the body took a while. */
export function moveIntoPlace(
  workspace: Workspace,
  { path, staged, exact = false, isLinkless = false }: Placing,
): { isNew: boolean; version: string } {
  using target = resolvePath(workspace, path, { follow: !exact, create: true, exact, isLinkless });
  assertReplaceable(target, { exact });
  try {
    const version = versionOf(staged.moveTo(target));
    return { isNew: target.entry === null, version };
  } catch (error) {
    throw fileProblem(error);
  }
}

/** @throws Problem `path-conflict` if something other than a regular file is there; with `exact`, only if that is a directory */
export function assertReplaceable({ entry }: Pick<ResolvedPath, 'entry'>, { exact = false } = {}): void {
  if (!entry || entry.stats.isFile() || (exact && !entry.stats.isDirectory())) return;
  const detail = entry.stats.isDirectory()
    ? 'a directory exists at this path'
    : 'something other than a regular file exists at this path';
  throw new Problem('path-conflict', { detail });
}
