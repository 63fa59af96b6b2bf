import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from './choose-home.ts';
import { clusterPath } from './create-cluster.ts';
import { logTail, spawnNative } from './spawn-native.ts';

export type PostgresProcess = {
  /** Resolves once it has ended, with a sentence that includes the end of its log. */
  ended: Promise<string>;
  hasEnded(): boolean;
  /** A fast shutdown; after 10 s SIGKILL. */
  stop(): Promise<void>;
};

type Settings = {
  socketDirectory: string;
  /** As Postgres writes it. */
  sharedBuffers: string;
  connectionsMax: number;
};

const stopMs = 10_000;

/** Starts the server. It may not accept connections yet. */
export async function startPostgres(
  { home, binaries }: { home: Home; binaries: string },
  given: Settings,
): Promise<PostgresProcess> {
  const logPath = join(home.path, 'postgres.log');
  const log = await open(logPath, 'w', 0o600);
  const args = Object.entries(settings(given)).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = await spawnNative(
    { home, binaries },
    {
      program: 'postgres',
      args: ['-D', clusterPath(home), ...args],
      deathSignal: 'INT',
      stdio: ['ignore', log.fd, log.fd],
    },
  ).finally(() => log.close());
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const exited = new Promise<void>((resolve) => (hasEnded() ? resolve() : child.once('exit', () => resolve())));
  const ended = exited.then(
    async () => `Postgres ended (${child.signalCode ?? `exit code ${child.exitCode}`}):\n${await logTail(logPath)}`,
  );
  const stop = async () => {
    if (!hasEnded()) child.kill('SIGINT');
    // Its children end by themselves when they notice that the first process is gone.
    const kill = setTimeout(() => child.kill('SIGKILL'), stopMs);
    await exited;
    clearTimeout(kill);
  };
  return { ended, hasEnded, stop };
}

const settings = ({ socketDirectory, sharedBuffers, connectionsMax }: Settings) => ({
  listen_addresses: '',
  unix_socket_directories: socketDirectory,
  unix_socket_permissions: '0700',
  max_connections: String(connectionsMax),
  shared_buffers: sharedBuffers,
  log_timezone: 'UTC',
  timezone: 'UTC',
});
