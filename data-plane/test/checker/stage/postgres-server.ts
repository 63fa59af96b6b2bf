import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, chown, mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectDatabase } from '../../../src/registry/connect.ts';
import { findBinaries } from '../../../src/registry/embedded/find-binaries.ts';
import { mountPrivately } from './private-mount.ts';
import { childrenOf, freeze, killForGood } from './processes.ts';

export type PostgresServer = Awaited<ReturnType<typeof startPostgresServer>>;

const nobody = { uid: 65534, gid: 65534 };
const diskMb = 512;

/** Small segments, so that a full disk needs few bytes; room for the connections of all replicas. */
const settings = `
listen_addresses = ''
max_connections = 200
shared_buffers = 64MB
max_wal_size = 96MB
min_wal_size = 32MB
log_timezone = UTC
timezone = UTC
`;

/** A Postgres of this run alone that can be killed, frozen and starved of disk space. It ends with this process. */
export async function startPostgresServer({ directory }: { directory: string }) {
  const runAs = process.getuid?.() === 0 ? nobody : null;
  const binaries = await findBinaries({ path: directory, runAs }, { progress: () => {} });
  const [disk, socket] = [join(directory, 'disk'), join(directory, 'socket')];
  const logPath = join(directory, 'postgres.log');
  await chmod(directory, 0o711);
  for (const path of [disk, socket]) {
    await mkdir(path, { mode: 0o700 });
    if (runAs) await chown(path, runAs.uid, runAs.gid);
  }
  const mount = runAs && (await mountPrivately(disk, { sizeMb: diskMb }));
  const cluster = join(disk, 'cluster');
  const at = { host: socket, port: 5432, user: 'postgres', password: '', database: 'postgres' };

  async function run(program: 'initdb' | 'postgres', args: string[]): Promise<ChildProcess> {
    const log = await open(logPath, 'a');
    // The kernel forgets the death signal when the user changes, so it is set after that.
    const user = runAs ? ['setpriv', `--reuid=${runAs.uid}`, `--regid=${runAs.gid}`, '--clear-groups', '--'] : [];
    const command = [...user, 'setpriv', '--pdeathsig', 'KILL', '--', join(binaries, 'bin', program), ...args];
    const [file = '', ...rest] = mount ? mount.inside(command) : command;
    const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };
    const child = spawn(file, rest, { cwd: '/', env, stdio: ['ignore', log.fd, log.fd], detached: true });
    await log.close();
    return child;
  }

  /** One statement as superuser on a connection of its own. */
  async function admin(statement: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const connection = connectDatabase({ ...at, database, poolMax: 1 });
    return await connection.sql.unsafe(statement).finally(() => connection.close());
  }

  let server: ChildProcess;
  const pid = () => server.pid as number;
  const hasEnded = () => server.exitCode !== null || server.signalCode !== null;

  /** Starts the server again until it stays: the processes of a killed one may need a moment to end. */
  async function start(): Promise<void> {
    for (const deadline = Date.now() + 120_000; ; await delay(100)) {
      if (!server || hasEnded()) server = await run('postgres', ['-D', cluster, '-k', socket]);
      const answered = await admin('select 1').catch(() => null);
      if (answered) return;
      if (Date.now() > deadline) throw new Error(`Postgres does not start:\n${(await log()).slice(-4000)}`);
    }
  }
  const log = () => readFile(logPath, 'utf8');
  async function end(): Promise<void> {
    if (!hasEnded()) await once(server, 'exit');
  }

  const [code] = await once(await run('initdb', ['-D', cluster, '-U', 'postgres', '-A', 'trust', ...texts]), 'exit');
  if (code !== 0) throw new Error(`initdb failed:\n${await log()}`);
  const inside = mount ? join(mount.path, 'cluster') : cluster;
  await appendFile(join(inside, 'postgresql.conf'), settings);
  await start();

  return {
    ...{ socket, admin, start, log },
    /** The directory of the server's disk, or null if it is not limited. */
    disk: mount ? mount.path : null,
    /** SIGKILL for the first process, and nothing for the others. */
    async kill(): Promise<boolean> {
      const killed = await killForGood(pid());
      await end();
      return killed;
    },
    /** A fast shutdown. */
    async stop(): Promise<boolean> {
      if (!hasEnded()) server.kill('SIGINT');
      await end();
      return server.exitCode === 0;
    },
    /** A first process that has stopped starts no others, so none is left out. */
    async freeze(): Promise<{ frozen: number; thaw(): void }> {
      const first = await freeze([pid()]);
      const others = await freeze(await childrenOf(pid())).catch((error) => {
        first.thaw();
        throw error;
      });
      const thaw = () => {
        for (const stopped of [first, others]) stopped.thaw();
      };
      return { frozen: first.frozen + others.frozen, thaw };
    },
    async close(): Promise<void> {
      if (!hasEnded()) server.kill('SIGQUIT');
      await end();
      await mount?.close();
    },
  };
}

const texts = ['-E', 'UTF8', '--locale=C', '--no-instructions', '--no-sync'];
