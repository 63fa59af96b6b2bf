import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import type { OpenedPort } from '@holdfast/specs/public';
import { processClient } from '../../processes/process-client.ts';
import { filesClient } from '../../support/files-client.ts';
import { startHoldfast, temporaryDataDir } from '../../support/start-holdfast.ts';
import type { Project } from './projects.ts';
import { type Page, startBrowser } from './start-browser.ts';

export type Pages = Awaited<ReturnType<typeof servePages>>;

/** Ports are below `localhost`, or behind TLS below a domain whose hosts are one site to browsers. */
export type Domain = 'localhost' | 'preview.test';

/** Holdfast, a browser, and development servers in sessions. */
export async function servePages(domain: Domain) {
  const dataDir = await temporaryDataDir();
  const tls = domain === 'localhost' ? null : await terminateTls(domain, dataDir.path);
  const env = tls && { HOLDFAST_PREVIEW_DOMAIN: `${domain}:${tls.port}` };
  const holdfast = await startHoldfast({ HOLDFAST_DATA_DIR: dataDir.path, ...env });
  tls?.passTo(Number(new URL(holdfast.url).port));
  const browser = await startBrowser([
    `--host-resolver-rules=MAP *.${domain} 127.0.0.1`,
    '--ignore-certificate-errors',
  ]);

  return {
    holdfast,

    /** Starts the development server of a project as a process of a new session, and opens its port with a link. */
    async serve({ files, command, env }: Project) {
      const { id } = await holdfast.createSession({ files });
      const processes = processClient(holdfast, id);
      const port = await freePort();
      const started = await processes.start({ command: command(port), env: { ...env } });
      const asked = { port, access: 'link' };
      const { status, body } = await holdfast.request('POST', `/v1/sessions/${id}/ports`, {
        ...asked,
        waitSeconds: 60,
      });
      if (status !== 201) throw new Error(JSON.stringify([body, await processes.read(started.id)]));
      const { url, token } = body as OpenedPort;
      const { host, hostname, origin } = new URL(url);
      return { id, port, url, token: token ?? '', host, hostname, origin, put: filesClient(holdfast, id).put };
    },

    /** A browser without a history, and pages in it that count. */
    async newProfile() {
      const context = await browser.newContext();
      const newPage = async () => {
        const page = await context.newPage();
        // A development server translates a page when it is first asked for.
        page.setDefaultTimeout(90_000);
        const seen = { sockets: [] as string[], requests: [] as string[], errors: [] as string[], loads: 0 };
        page.on('websocket', (socket) => void seen.sockets.push(socket.url()));
        page.on('pageerror', (error) => void seen.errors.push(error.message));
        page.on('request', (request) => void seen.requests.push(request.url()));
        page.on('load', () => void seen.loads++);
        return { page, seen };
      };
      return { newPage, cookies: () => context.cookies(), close: () => context.close() };
    },

    async [Symbol.asyncDispose]() {
      await browser.close();
      await holdfast.stop();
      tls?.server.close();
      await dataDir.remove();
    },
  };
}

/** Waits until an element of the page has this text. */
export const shows = (page: Page, selector: string, text: string) =>
  page.waitForFunction(`document.querySelector('${selector}')?.textContent === ${JSON.stringify(text)}`);

/** As an ingress controller does it: certificates of the domain, and every byte as it comes. */
async function terminateTls(domain: Domain, folder: string) {
  const [key, cert] = [join(folder, 'tls.key'), join(folder, 'tls.crt')];
  const name = `*.${domain}`;
  const asked = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const named = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`, '-keyout', key, '-out', cert];
  const made = spawnSync('openssl', [...asked, ...named], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`openssl: ${made.stderr}`);
  let port = 0;
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (visitor) => {
    const plain = connect({ host: '127.0.0.1', port });
    pipeline(visitor, plain, visitor, () => {});
  });
  return {
    server,
    port: await listen(server),
    passTo(given: number) {
      port = given;
    },
  };
}

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
