import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readProcess } from './list-processes.ts';

const initPid = 1;

/**
 * Finds the files in which Linux counts the processes of our cgroup (v2 or v1) that its out-of-memory killer has ended.
 * A cgroup that other programs share counts their ends too, and would make any SIGKILL of ours look like lack of memory. So a cgroup
 * is used only if `cgroup.procs` lists `pid` and its descendants alone. The init of a container may be in it as well: if that ends,
 * the whole container does. Call this early, before other processes can join the cgroup.
 */
export function findMemoryEvents({
  root = '/sys/fs/cgroup',
  ownCgroups = '/proc/self/cgroup',
  pid = process.pid,
} = {}): string[] {
  const found: string[] = [];
  for (const line of existsSync(ownCgroups) ? readFileSync(ownCgroups, 'utf8').split('\n') : []) {
    const [id, controllers, path] = line.split(':');
    if (path === undefined) continue;
    // Inside a container the path may be that of the host, while the container's own cgroup is mounted at the root.
    if (id === '0') found.push(nearest(root, path, 'memory.events'));
    else if (controllers === 'memory') found.push(nearest(join(root, 'memory'), path, 'memory.oom_control'));
  }
  return found.filter((file) => existsSync(file) && isOwn(dirname(file), pid));
}

function isOwn(cgroup: string, pid: number): boolean {
  try {
    const members = readFileSync(join(cgroup, 'cgroup.procs'), 'utf8').trim().split('\n').map(Number);
    return members.includes(pid) && members.every((member) => member === initPid || descendsFrom(member, pid));
  } catch {
    return false;
  }
}

function descendsFrom(pid: number, ancestor: number): boolean {
  let at = pid;
  while (at !== ancestor && at > 1) at = readProcess(at)?.parent ?? 0;
  return at === ancestor;
}

/** How many processes were ended so far, summed over the files. A file that cannot be read counts as 0. */
export function countOomKills(files: readonly string[]): number {
  let kills = 0;
  for (const file of files) {
    try {
      kills += Number(/^oom_kill (\d+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? 0);
    } catch {}
  }
  return kills;
}

function nearest(root: string, path: string, name: string): string {
  for (let folder = path; ; folder = dirname(folder)) {
    const file = join(root, folder, name);
    if (existsSync(file) || folder === dirname(folder)) return file;
  }
}
