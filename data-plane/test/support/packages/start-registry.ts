import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { createWheel } from './python-environments.ts';

const run = promisify(execFile);

/** A registry on loopback that has one package for npm and for pip, both called `registered`. */
export async function startRegistry({ python, folder }: { python: string; folder: string }) {
  const { wheel } = await createWheel(python, { folder, name: 'registered', modules: ['registered'] });
  const tarball = await packNpm(join(folder, 'npm'));
  const server = createServer(async (request, response) => {
    const url = `http://${request.headers.host}`;
    if (request.url === '/npm/registered') response.end(npmDocument(`${url}/files/registered.tgz`));
    else if (request.url === '/pip/registered/') response.setHeader('content-type', 'text/html').end(pipPage(wheel));
    else if (request.url === '/files/registered.tgz') response.end(await readFile(tarball));
    else if (request.url === `/files/${basename(wheel)}`) response.end(await readFile(wheel));
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    npm: `http://127.0.0.1:${port}/npm/`,
    pip: `http://127.0.0.1:${port}/pip/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function packNpm(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"name": "registered", "version": "1.0.0", "main": "main.cjs"}');
  await writeFile(join(folder, 'main.cjs'), 'exports.from = "registry"');
  await run('npm', ['pack', '--silent', folder], { cwd: folder });
  return join(folder, 'registered-1.0.0.tgz');
}

const npmDocument = (tarball: string) =>
  JSON.stringify({
    name: 'registered',
    'dist-tags': { latest: '1.0.0' },
    versions: { '1.0.0': { name: 'registered', version: '1.0.0', main: 'main.cjs', dist: { tarball } } },
  });

const pipPage = (wheel: string) => `<a href="/files/${basename(wheel)}">${basename(wheel)}</a>`;
