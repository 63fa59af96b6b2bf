import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  archiveEnd,
  manifestLengthDigits,
  newId,
  type RecoveryReport,
  type SnapshotManifest,
  type StepStatus,
} from '@holdfast/specs/public';
import type { Kernel } from '../../src/kernel-process/kernel.ts';

/** Takes the archive of a kernel's snapshot. */
export async function saveState(
  kernel: Kernel,
  { bytesMax = 2 ** 30, timeoutMs = 20_000, isFork = false, onAnswered = () => {} } = {},
): Promise<Buffer> {
  const folder = await mkdtemp('/tmp/state-');
  const path = join(folder, 'archive');
  execFileSync('mkfifo', [path]);
  try {
    const [archive] = await Promise.all([
      readFile(path),
      kernel.snapshot({ path, bytesMax, timeoutMs, isFork }).then(onAnswered),
    ]);
    return archive;
  } finally {
    await rm(folder, { recursive: true });
  }
}

export function manifestOf(archive: Buffer): SnapshotManifest {
  const footer = archive.subarray(-manifestLengthDigits - archiveEnd.length).toString();
  if (!footer.endsWith(archiveEnd)) throw new Error(`an archive of ${archive.length} bytes has no end`);
  const end = archive.length - footer.length;
  return JSON.parse(archive.subarray(end - Number(footer.slice(0, manifestLengthDigits)), end).toString());
}

export type LaterStep = { code: string; status?: StepStatus; replay?: boolean; stepId?: string };

/** Recovers a fresh kernel. */
export async function recoverState(
  kernel: Kernel,
  { archive, steps = [] }: { archive?: Buffer; steps?: LaterStep[] },
): Promise<RecoveryReport> {
  const folder = await mkdtemp('/tmp/state-');
  try {
    if (archive) await writeFile(join(folder, 'archive'), archive);
    const lines = steps.map(
      ({ stepId = newId('stp'), status = 'succeeded', replay }) => `${stepId} ${status} ${replay ? 1 : 0}\n`,
    );
    await writeFile(join(folder, 'steps'), lines.join(''));
    for (const [at, { code }] of steps.entries()) await writeFile(join(folder, `code-${at + 1}`), code);
    return await kernel.recover({ folder, timeoutMs: 20_000, onCall() {} });
  } finally {
    await rm(folder, { recursive: true });
  }
}
