import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A directory with a limited size that only the given commands see. It vanishes with the last of them, however this process ends. */
export type PrivateMount = {
  /** Runs a command that sees it. */
  inside(command: readonly string[]): string[];
  /** The path of the directory as this process can reach it. */
  path: string;
  close(): Promise<void>;
};

/** Null if this user may not mount. A process that sleeps holds the mount namespace (mount_namespaces(7)). */
export async function mountPrivately(directory: string, { sizeMb }: { sizeMb: number }): Promise<PrivateMount | null> {
  const script = `mount -t tmpfs -o size=${sizeMb}m,mode=0777 tmpfs "$1" && echo mounted && exec sleep infinity`;
  const holder = spawn(
    'setpriv',
    [...['--pdeathsig', 'KILL', 'unshare', '--mount', '--propagation', 'private'], 'sh', '-c', script, 'sh', directory],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const ended = once(holder, 'close');
  const [line] = await Promise.race([once(holder.stdout, 'data'), ended.then(() => [null])]);
  if (line === null) return null;
  return {
    inside: (command) => ['nsenter', '--mount', '--target', String(holder.pid), '--', ...command],
    path: `/proc/${holder.pid}/root${directory}`,
    async close() {
      holder.kill('SIGKILL');
      await ended;
    },
  };
}
