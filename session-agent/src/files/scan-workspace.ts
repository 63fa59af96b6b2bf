import type { Workspace } from './open-workspace.ts';
import { scanByFind } from './scan-by-find.ts';
import { scanInProcess } from './scan-in-process.ts';
import type { Scan } from './scan-record.ts';

/** Up to so many, a walk takes less time than starting a process. */
const smallMax = 1000;
export const scannedFilesMax = 100_000;

/** Scans the workspace in the way that is faster: at once where it is small, which `last` tells, else in another process. */
export function scanWorkspace(workspace: Workspace, last: Scan | null): Scan | Promise<Scan> {
  const small = last && last.count > smallMax ? null : scanInProcess(workspace, smallMax);
  return small ?? scanByFind(workspace, scannedFilesMax);
}
