import { fstatSync } from 'node:fs';
import type { Workspace } from './open-workspace.ts';
import { recordOf, type Scan } from './scan-record.ts';
import { walkTree } from './walk-tree.ts';

/** As deep as a path can be. */
const depthMax = 2048;

/** Scans a small workspace at once; null where it has more than `entriesMax` files and directories. */
export function scanInProcess({ descriptor }: Pick<Workspace, 'descriptor'>, entriesMax: number): Scan | null {
  const { dev: device } = fstatSync(descriptor, { bigint: true });
  const records: string[] = [];
  let entries = 0;
  for (const { path, stats } of walkTree(descriptor, { depthMax, entriesMax: entriesMax + 1, device })) {
    if (++entries > entriesMax) return null;
    if (!stats.isDirectory()) records.push(recordOf(path, stats));
  }
  return { records: Buffer.from(records.join(''), 'latin1'), count: records.length, isCut: false };
}
