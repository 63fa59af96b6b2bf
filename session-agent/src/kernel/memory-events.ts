import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The files in which Linux counts the processes that its out-of-memory killer has ended in our cgroup (v2, then v1). */
export function findMemoryEvents(root = '/sys/fs/cgroup', ownCgroups = '/proc/self/cgroup'): string[] {
  const found: string[] = [];
  for (const line of existsSync(ownCgroups) ? readFileSync(ownCgroups, 'utf8').split('\n') : []) {
    const [id, controllers, path] = line.split(':');
    if (path === undefined) continue;
    // Inside a container the path may be the host's, while the container's own cgroup is mounted at the root.
    if (id === '0') found.push(nearest(root, path, 'memory.events'));
    else if (controllers === 'memory') found.push(nearest(join(root, 'memory'), path, 'memory.oom_control'));
  }
  return found.filter((file) => existsSync(file));
}

/** How many processes were ended so far, by all of the files together. What cannot be read counts nothing. */
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
