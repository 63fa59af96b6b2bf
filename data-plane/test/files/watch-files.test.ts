import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FileEvent, fileEventSchema } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type FilesClient, filesClient } from '../support/files-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { client, type Holdfast } from '../support/start-holdfast.ts';

let installation: Installation;
let holdfast: Holdfast;
let sessionId: string;
let files: FilesClient;
let scratch: string;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
  sessionId = (await holdfast.createSession({ language: 'bash' })).id;
  files = filesClient(holdfast, sessionId);
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-watched-')));
}, 60_000);
afterAll(async () => {
  rmSync(scratch, { recursive: true });
  await installation[Symbol.asyncDispose]();
});

/** The events of a watch so far, and its end. */
async function watch(session: string, query: Record<string, string>) {
  const url = `${holdfast.url}/v1/sessions/${session}/files/events?${new URLSearchParams(query)}`;
  const gone = new AbortController();
  const response = await fetch(url, { headers: { accept: 'application/x-ndjson' }, signal: gone.signal });
  if (!response.body || response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const told: FileEvent[] = [];
  const last: { line: unknown } = { line: null };
  const ended = (async () => {
    let rest = '';
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const lines = (rest + Buffer.from(chunk).toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.map((text) => JSON.parse(text))) {
        last.line = line;
        if (line.type !== 'problem') told.push(fileEventSchema.parse(line));
      }
    }
  })().catch(() => {});
  await eventually(() => expect(told[0]).toEqual({ type: 'ready' }));
  return { told, last, ended, leave: () => gone.abort() };
}

test('a client sees what code and others change, in the workspace and outside it', async () => {
  const inside = await watch(sessionId, { path: '', recursive: 'true' });
  const outside = await watch(sessionId, { path: scratch });
  await holdfast.runStep(sessionId, { code: `mkdir -p src && echo x > src/a && echo x > ${scratch}/b` });
  await files.put('src/from-host', 'x');
  await eventually(() => {
    expect(inside.told).toContainEqual({ type: 'created', path: 'src/a' });
    expect(inside.told).toContainEqual({ type: 'created', path: 'src/from-host' });
    expect(outside.told).toContainEqual({ type: 'created', path: `${scratch}/b` });
  });
  await files.remove('src/a');
  await eventually(() => expect(inside.told).toContainEqual({ type: 'deleted', path: 'src/a' }));
  inside.leave();
  outside.leave();
});

test('server-sent events have the type of the change and no id', async () => {
  const gone = new AbortController();
  const url = `${holdfast.url}/v1/sessions/${sessionId}/files/events?path=${scratch}`;
  const response = await fetch(url, { signal: gone.signal });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  let text = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    if (text.includes('"ready"')) writeFileSync(join(scratch, 'sse'), 'x');
    if (text.includes('/sse"')) break;
  }
  gone.abort();
  expect(text).toMatch(/^event: ready\ndata: {"type":"ready"}\n\n/);
  expect(text).toContain(`event: created\ndata: {"type":"created","path":"${scratch}/sse"}\n\n`);
});

test('a file of the workspace that is called events can be read', async () => {
  await files.put('events', 'a file');
  expect((await files.get('events')).text).toBe('a file');
});

test('a watch that cannot begin is refused before anything is streamed', async () => {
  const asked = async (query: Record<string, string>) => {
    const { status, code } = await files.ask('GET', 'files/events', { query });
    return [status, code];
  };
  expect(await asked({ path: 'missing' })).toEqual([404, 'not-found']);
  expect(await asked({ path: '/etc' })).toEqual([403, 'outside-workspace']);
  expect(await asked({ path: '../x' })).toEqual([400, 'invalid-request']);
  expect(await asked({ path: '', recursive: 'yes' })).toEqual([400, 'invalid-request']);
});

test('a share link does not open a watch', async () => {
  const { body } = await holdfast.request('POST', `/v1/sessions/${sessionId}/shares`, {
    access: 'run',
    expiresSeconds: 60,
  });
  const guest = client(holdfast.url, { authorization: `Bearer ${body.token}` });
  expect((await guest.request('GET', `/v1/sessions/${sessionId}/files/events?path=`)).status).toBe(403);
});

test('watches end with their session, and say why', async () => {
  const { id } = await holdfast.createSession({ language: 'bash' });
  const { last, ended } = await watch(id, { path: '' });
  await holdfast.request('POST', `/v1/sessions/${id}/complete`, {});
  await ended;
  expect(last.line).toMatchObject({ type: 'problem', problem: { code: 'session-ended' } });
});

test('a client that leaves frees its watch', async () => {
  const { id } = await holdfast.createSession({ language: 'bash' });
  for (let round = 0; round < 2; round++) {
    const watches = await Promise.all(Array.from({ length: 16 }, () => watch(id, { path: '' })));
    const refused = await filesClient(holdfast, id).ask('GET', 'files/events', { query: { path: '' } });
    expect([refused.status, refused.code]).toEqual([429, 'quota-exceeded']);
    for (const { leave } of watches) leave();
    await eventually(async () => (await watch(id, { path: '' })).leave());
  }
}, 60_000);

test('watches end with a data-plane that is killed, and its successor watches what goes on in the same sandbox', async () => {
  const { id } = await holdfast.createSession({ language: 'bash' });
  const killed = await Promise.all(Array.from({ length: 16 }, () => watch(id, { path: '', recursive: 'true' })));
  await holdfast.kill();
  await Promise.all(killed.map(({ ended }) => ended));
  holdfast = await installation.start();
  files = filesClient(holdfast, sessionId);
  const resumed: Awaited<ReturnType<typeof watch>>[] = [];
  // The agent counts a watch until it sees that the killed data-plane has gone.
  while (resumed.length < 16)
    await eventually(async () => resumed.push(await watch(id, { path: '', recursive: 'true' })));
  await holdfast.runStep(id, { code: 'mkdir later && echo x > later/file' });
  for (const { told, leave } of resumed) {
    await eventually(() => expect(told).toContainEqual({ type: 'created', path: 'later/file' }));
    leave();
  }
}, 60_000);
