import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectDatabase } from '../../src/registry/connect.ts';
import { chooseHome, type Home } from '../../src/registry/embedded/choose-home.ts';
import { createCluster, passwordPath } from '../../src/registry/embedded/create-cluster.ts';
import { findBinaries } from '../../src/registry/embedded/find-binaries.ts';
import { logTail, spawnNative } from '../../src/registry/embedded/spawn-native.ts';
import { eventually } from './eventually.ts';
import { removeDataDir } from './remove-data-dir.ts';

export type TlsPostgres = Awaited<ReturnType<typeof startTlsPostgres>>;

/** The tests need openssl, which makes the certificates. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** A Postgres of a test's own on 127.0.0.1, which takes connections with TLS and without. Its certificate is for the name localhost. */
export async function startTlsPostgres() {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-tls-'));
  const home = await chooseHome({ dataDir });
  const progress = () => {};
  const binaries = await findBinaries(home, { progress });
  await createCluster({ home, binaries }, { progress });
  await makeAuthority(home, 'authority');
  await makeAuthority(home, 'stranger');
  await certify(home, 'DNS:localhost');
  const port = await freePort();
  const log = await open(join(home.path, 'postgres.log'), 'w', 0o600);
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    ssl: 'on',
    ssl_cert_file: join(home.path, 'server.crt'),
    ssl_key_file: join(home.path, 'server.key'),
  };
  const server = await spawnNative(
    { home, binaries },
    {
      program: 'postgres',
      args: [
        '-D',
        join(home.path, 'cluster'),
        ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
      ],
      deathSignal: 'INT',
      stdio: ['ignore', log.fd, log.fd],
    },
  ).finally(() => log.close());
  const password = await readFile(passwordPath(home), 'utf8');
  const url = (host: string, parameters: string, at = port) =>
    `postgres://postgres:${password}@${host}:${at}/postgres?${parameters}`;
  const admin = connectDatabase({ url: url('127.0.0.1', ''), poolMax: 1 });
  await eventually(() => admin.sql`select 1`, 20_000).catch(async (cause) => {
    throw new Error(await logTail(join(home.path, 'postgres.log')), { cause });
  });
  return {
    ...{ port, password, admin, url },
    /** The file of the authority that certifies the server, and that of another one. */
    authority: join(home.path, 'authority.crt'),
    stranger: join(home.path, 'stranger.crt'),
    /** Gives the server a certificate for this name or address, such as `IP:127.0.0.1`. */
    async useCertificateFor(name: string) {
      await certify(home, name);
      await admin.sql`select pg_reload_conf()`;
    },
    async [Symbol.asyncDispose]() {
      await admin.close();
      if (server.exitCode === null && server.kill('SIGINT')) await once(server, 'exit');
      await removeDataDir(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const openssl = (cwd: string, ...args: string[]) => promisify(execFile)('openssl', args, { cwd });

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout'];

async function makeAuthority({ path }: Home, name: string): Promise<void> {
  const files = [`${name}.key`, '-out', `${name}.crt`];
  await openssl(path, 'req', '-x509', ...newKey, ...files, '-days', '2', '-subj', `/CN=${name}`);
}

/** Postgres requires that the key belongs to its user. */
async function certify({ path, runAs }: Home, name: string): Promise<void> {
  await openssl(path, 'req', ...newKey, 'new.key', '-out', 'server.csr', '-subj', '/CN=server');
  await writeFile(join(path, 'names'), `subjectAltName = ${name}`);
  const signed = [
    '-CA',
    'authority.crt',
    '-CAkey',
    'authority.key',
    '-CAcreateserial',
    '-extfile',
    'names',
    '-days',
    '2',
  ];
  await openssl(path, 'x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.crt');
  await writeFile(join(path, 'server.key'), await readFile(join(path, 'new.key')), { mode: 0o600 });
  if (runAs) for (const file of ['server.key', 'server.crt']) await chown(join(path, file), runAs.uid, runAs.gid);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
