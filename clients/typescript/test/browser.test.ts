import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../../../data-plane/test/support/installation.ts';
import { Holdfast } from '../src/index.ts';

const program = process.env.HOLDFAST_BROWSER ?? '/usr/bin/chromium';
const apiKey = 'hf_a_key_of_the_page_0000000000';

/** The page's program, as a text: it has no types of Node's. */
const script = (url: string, sessionId: string, token: string) => `
import { Holdfast } from '/sdk.js';
const seen = {};
try {
  const holdfast = new Holdfast({ url: '${url}', apiKey: '${apiKey}', reconnectSeconds: 1 });
  const session = await holdfast.sessions.get('${sessionId}');
  seen.text = (await session.run('6 * 7')).text;
  seen.types = [];
  for await (const event of session.stream('print(1)')) seen.types.push(event.type);
  await session.files.write('page.txt', 'from a page');
  seen.file = await session.files.readText('page.txt');
  seen.refusal = await session.files.readText('missing.txt').catch(({ code, requestId }) => [code, typeof requestId]);
  seen.refused = await session.terminal().then((channel) => channel[Symbol.asyncIterator]().next()).catch(String);
  const guest = await new Holdfast({ url: '${url}', apiKey: '${token}' }).sessions.get('${sessionId}');
  const terminal = await guest.terminal({ command: ['bash', '--norc'], columns: 61, rows: 17 });
  await terminal.write('stty size; exit 5\\n');
  seen.screen = '';
  for await (const { bytes } of terminal) seen.screen += new TextDecoder().decode(bytes);
  seen.exitCode = terminal.process.record.exitCode;
} catch (error) {
  seen.error = [error.code, String(error)];
}
await fetch('/seen', { method: 'POST', body: JSON.stringify(seen) });
`;

describe.skipIf(!existsSync(program))(`in a page of a browser (${program}, or HOLDFAST_BROWSER)`, () => {
  let installation: Installation;
  let folder: string;
  let sdk: string;

  beforeAll(async () => {
    installation = await createInstallation();
    folder = await mkdtemp(join(tmpdir(), 'holdfast-browser-'));
    const entryPoints = [join(import.meta.dirname, '../src/index.ts')];
    const built = await build({ entryPoints, bundle: true, format: 'esm', platform: 'browser', write: false });
    sdk = built.outputFiles[0]?.text ?? '';
  });
  afterAll(async () => {
    await installation[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** An origin with the page on it. */
  async function servePage() {
    let page = '';
    const server = createServer(async (request, response) => {
      if (request.url === '/seen') {
        response.end();
        server.emit('seen', await json(request));
      } else if (request.url === '/sdk.js') response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(sdk);
      else response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<script type="module">${page}</script>`);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return {
      origin,
      /** Opens the page in a browser of its own, and answers what its script saw. */
      async seen(text: string) {
        page = text;
        const profile = await mkdtemp(join(folder, 'profile-'));
        const options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run'];
        const browser = spawn(program, [...options, `--user-data-dir=${profile}`, `${origin}/`], { stdio: 'ignore' });
        const ended = once(browser, 'exit');
        try {
          const [seen] = await Promise.race([
            once(server, 'seen'),
            ended.then(([code]) => Promise.reject(new Error(`the browser has ended with ${code}`))),
          ]);
          return seen;
        } finally {
          browser.kill();
          await ended;
        }
      },
      [Symbol.asyncDispose]: async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }

  test('a page of a listed origin runs code, streams, and has a terminal; another page does not', {
    timeout: 120_000,
  }, async () => {
    await using listed = await servePage();
    await using other = await servePage();
    const { url } = await installation.start({
      HOLDFAST_CORS_ORIGINS: listed.origin,
      HOLDFAST_BOOTSTRAP_API_KEY: apiKey,
    });
    const holdfast = new Holdfast({ url, apiKey });
    await using session = await holdfast.sessions.create();
    const { data } = await holdfast.api.POST('/v1/sessions/{sessionId}/shares', {
      params: { path: { sessionId: session.id } },
      body: { access: 'run', expiresSeconds: 600 },
    });
    const page = script(url, session.id, data?.token ?? '');
    expect(await listed.seen(page)).toEqual({
      text: '42',
      types: ['started', 'stdout', 'finished'],
      file: 'from a page',
      refusal: ['not-found', 'string'],
      refused: expect.stringContaining('a page opens a channel with the token of a share link'),
      screen: expect.stringMatching(/17 61/),
      exitCode: 5,
    });
    expect(await other.seen(page)).toEqual({ error: ['connection-failed', expect.stringContaining('No answer')] });
  });
});
