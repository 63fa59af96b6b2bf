import { readdir, readFile, readlink } from 'node:fs/promises';

/** The resident memory of a process in MiB. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
}

const established = '01';

/** The number of TCP connections of a process to a port of any host, from proc_net(5). */
export async function connectionsTo(pid: number, port: number): Promise<number> {
  const inodes = new Set(await socketInodes(pid));
  const rows = (await readFile(`/proc/${pid}/net/tcp`, 'latin1')).split('\n').slice(1);
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(
      ([, , to = '', state, , , , , , inode = '']) => to.endsWith(remote) && state === established && inodes.has(inode),
    ).length;
}

async function socketInodes(pid: number): Promise<string[]> {
  const descriptors = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(descriptors.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}
