import { fstatSync } from 'node:fs';
import type { Workspace } from '../paths/open-workspace.ts';
import { scanByFind } from './scan-by-find.ts';
import { scanInProcess } from './scan-in-process.ts';
import type { Scan } from './scan-record.ts';

/** Up to this many entries, scanning them takes less time than starting a process. */
const smallMax = 1000;
const scannedEntriesMax = 100_000;

/** Scans the workspace in the faster way: synchronously if it was small at the `last` scan, else in another process. */
export async function scanWorkspace(workspace: Workspace, last: Scan | null): Promise<Scan> {
  return scanAtOnce(workspace, last) ?? (await scanByFind(workspace, scannedEntriesMax));
}

/** Scans synchronously; null if the workspace is not small. */
export function scanAtOnce(workspace: Workspace, last: Scan | null): Scan | null {
  if (last && isStillEmpty(workspace, last)) return last;
  return last && last.count > smallMax ? null : scanInProcess(workspace, smallMax);
}

/** Whether the workspace was empty at the last scan and has not changed since. */
export function isStillEmpty({ descriptor }: Pick<Workspace, 'descriptor'>, { emptySince }: Scan): boolean {
  return emptySince !== undefined && fstatSync(descriptor).ctimeMs === emptySince;
}
