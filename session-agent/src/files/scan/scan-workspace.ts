import { fstatSync } from 'node:fs';
import type { Workspace } from '../paths/open-workspace.ts';
import { scanByFind } from './scan-by-find.ts';
import { scanInProcess } from './scan-in-process.ts';
import type { Scan } from './scan-record.ts';

/** Up to so many, a walk takes less time than starting a process. */
const smallMax = 1000;
export const scannedFilesMax = 100_000;

/** Scans the workspace in the way that is faster: at once where it is small, else in another process. `last` tells which it was. */
export async function scanWorkspace(workspace: Workspace, last: Scan | null): Promise<Scan> {
  return scanAtOnce(workspace, last) ?? (await scanByFind(workspace, scannedFilesMax));
}

/** Null where the workspace is not small. */
export function scanAtOnce(workspace: Workspace, last: Scan | null): Scan | null {
  if (last?.emptySince !== undefined && fstatSync(workspace.descriptor, { bigint: true }).ctimeNs === last.emptySince) {
    return last;
  }
  return last && last.count > smallMax ? null : scanInProcess(workspace, smallMax);
}
