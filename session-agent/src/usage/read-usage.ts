import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { SandboxUsage } from '@holdfast/specs/public';
import type { Workspace } from '../files/paths/open-workspace.ts';
import { descendantsOf, listProcesses } from '../kernel-process/end/list-processes.ts';

/** The page of Linux on the processors that the images are for. */
const pageBytes = 4096;

/** The use of the sandbox now: of the agent and all that it has started, and of the file system with the workspace. */
export async function readUsage({ descriptor }: Pick<Workspace, 'descriptor'>): Promise<SandboxUsage> {
  const pids = descendantsOf(process.pid, listProcesses());
  const { blocks, bfree, bsize } = await statfs(`/proc/self/fd/${descriptor}`);
  return {
    memoryBytes: pids.reduce((sum, pid) => sum + residentBytes(pid), 0),
    processes: pids.length,
    diskBytesUsed: (blocks - bfree) * bsize,
    diskBytesTotal: blocks * bsize,
  };
}

/** Zero if the process has just ended (proc(5), statm). */
function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * pageBytes;
  } catch {
    return 0;
  }
}
