import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Secret } from '../../src/config/secret.ts';
import type { S3Options } from '../../src/contents/s3/bucket.ts';
import { eventually } from './eventually.ts';

/** The server that `install-s3-server` builds, or one on the PATH; null if there is none. */
export const s3Server: string | null = findServer();

function findServer(): string | null {
  const built = fileURLToPath(new URL('../../node_modules/.cache/s3', import.meta.url));
  const paths = [built, ...(process.env.PATH ?? '').split(delimiter)].map((folder) => join(folder, 'versitygw'));
  return paths.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export type S3Server = Awaited<ReturnType<typeof startS3Server>>;

/** A real S3 server (versitygw, on a directory of its own) with one bucket. It checks signatures. */
export async function startS3Server() {
  const root = await mkdtemp(join(tmpdir(), 'holdfast-s3-'));
  await mkdir(join(root, 'files', 'holdfast-test'), { recursive: true });
  await mkdir(join(root, 'metadata'));
  const port = await freePort();
  let child = await serve(root, port);
  const options: S3Options = {
    bucket: 'holdfast-test',
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    prefix: 'some/place/',
    pathStyle: true,
    keys: { id: keyId, secret: new Secret(secretKey) },
  };
  return {
    options,
    kill: () => end(child),
    async restart() {
      child = await serve(root, port);
    },
    async stop() {
      await end(child);
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const keyId = 'holdfast-test-key';
export const secretKey = 'holdfast-test-secret-that-nobody-may-see';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function serve(root: string, port: number): Promise<ChildProcess> {
  const args = [
    '--quiet',
    '--port',
    `127.0.0.1:${port}`,
    'posix',
    '--sidecar',
    join(root, 'metadata'),
    join(root, 'files'),
  ];
  const child = spawn(s3Server ?? 'versitygw', args, {
    env: { ROOT_ACCESS_KEY: keyId, ROOT_SECRET_KEY: secretKey },
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`the S3 server has ended: ${said}`);
    await fetch(`http://127.0.0.1:${port}/`);
  });
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
