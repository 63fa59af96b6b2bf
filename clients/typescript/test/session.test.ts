import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../../../data-plane/test/support/installation.ts';
import { Holdfast, type Session } from '../src/index.ts';

let installation: Installation;
let holdfast: Holdfast;
let session: Session;
let url: string;

beforeAll(async () => {
  installation = await createInstallation();
  ({ url } = await installation.start());
  holdfast = new Holdfast({ url });
  session = await holdfast.sessions.create();
});

afterAll(() => installation[Symbol.asyncDispose]());

test('sends and reads a large file as streams', async () => {
  const piece = new Uint8Array(1024 * 1024).map((_, i) => i % 251);
  let left = 12;
  const source = new ReadableStream<Uint8Array>({
    pull: (controller) => (left-- > 0 ? controller.enqueue(piece) : controller.close()),
  });
  const { sha256, size } = await session.files.write('large.bin', source);
  expect(size).toBe(12 * piece.length);
  const hash = createHash('sha256');
  for await (const bytes of await session.files.stream('large.bin')) hash.update(bytes);
  expect(hash.digest('hex')).toBe(sha256);
});

test('a link to a file works without a key and without the client', async () => {
  await session.files.write('linked.txt', 'by a link');
  const { url: link } = await session.files.link('linked.txt', 'read', 60);
  expect(await (await fetch(link)).text()).toBe('by a link');
});

test('reads on at the byte at which a connection broke', async () => {
  const content = Array.from({ length: 200_000 }, (_, i) => `line ${i}\n`).join('');
  await session.files.write('broken.txt', content);
  const ranges: (string | null)[] = [];
  const breaking = new Holdfast({
    url: url,
    async fetch(request) {
      const response = await fetch(request);
      if (!request.url.endsWith('broken.txt') || ranges.push(request.headers.get('Range')) > 2) return response;
      return new Response(cutAfter(response.body as ReadableStream<Uint8Array>, 100_000), response);
    },
  });
  const same = await breaking.sessions.get(session.id);
  expect(await same.files.readText('broken.txt')).toBe(content);
  expect(ranges).toEqual([null, expect.stringMatching(/^bytes=\d+-$/), expect.stringMatching(/^bytes=\d+-$/)]);
});

test('an abort ends a stream with its reason, and the step goes on', async () => {
  const stop = new AbortController();
  const reason = new Error('seen enough');
  const events = session.stream('import time\nprint(1)\ntime.sleep(1)\ndone = True', { signal: stop.signal });
  const follow = async () => {
    for await (const event of events) if (event.type === 'stdout') stop.abort(reason);
  };
  await expect(follow()).rejects.toBe(reason);
  expect((await session.run('done')).text).toBe('True');
});

test('an abort ends a run, and interrupt ends its step', async () => {
  const signal = AbortSignal.timeout(700);
  await expect(session.run('while True: pass', { signal })).rejects.toThrow(/timeout/);
  for await (const { id, status } of session.steps.list({ order: 'desc' })) {
    expect(status).toBe('running');
    await session.steps.interrupt(id);
    expect(await session.steps.wait(id)).toMatchObject({ status: 'interrupted' });
    break;
  }
});

test('the same key of a run finds the same step', async () => {
  await session.run('n = 0');
  const first = await session.run('n += 1\nn', { idempotencyKey: 'once' });
  const second = await session.run('n += 1\nn', { idempotencyKey: 'once' });
  expect([second.id, second.text]).toEqual([first.id, '1']);
});

test('a terminal shows what is typed, and takes another size', async () => {
  await using shell = await session.processes.terminal({ command: ['bash', '--norc'], columns: 100, rows: 30 });
  await shell.resize({ columns: 90, rows: 20 });
  await shell.write('stty size; exit\n');
  let screen = '';
  for await (const { text } of shell.output()) screen += text;
  expect(screen).toContain('20 90');
  expect(shell.record).toMatchObject({ status: 'exited', exitCode: 0 });
});

test('output is the same bytes that the process wrote', async () => {
  const process = await session.processes.start(['printf', 'a\\377\\000\\303\\251']);
  const bytes: number[] = [];
  for await (const piece of process.output()) bytes.push(...piece.bytes);
  expect(bytes).toEqual([0x61, 0xff, 0, 0xc3, 0xa9]);
});

test('opens a port once a server listens, and closes it', async () => {
  const program =
    "import http.server as h; h.HTTPServer(('127.0.0.1', 18473), h.SimpleHTTPRequestHandler).serve_forever()";
  await using _server = await session.processes.start(['python3', '-c', program]);
  const port = await session.ports.open(18473, { access: 'link', waitSeconds: 20 });
  expect(port).toMatchObject({ port: 18473, access: 'link', token: expect.any(String) });
  await session.ports.close(port.id);
  for await (const { id, revokedAt } of session.ports.list()) {
    expect([id, revokedAt]).toEqual([port.id, expect.any(String)]);
  }
});

test('runs a program in a sandbox of its own', async () => {
  const job = await holdfast.runJob({ language: 'python', code: 'print(6 * 7)' });
  expect(job).toMatchObject({ exitCode: 0, stdout: '42\n' });
  expect(job.sessionId).not.toBe(session.id);
});

test('finds sessions by their key and metadata', async () => {
  const named = await holdfast.sessions.create({ clientKey: 'notebook-7', metadata: { topic: 'sales' } });
  expect((await holdfast.sessions.create({ clientKey: 'notebook-7' })).id).toBe(named.id);
  const found: string[] = [];
  for await (const { id } of holdfast.sessions.list({ metadata: { topic: 'sales' }, status: ['active', 'paused'] }))
    found.push(id);
  expect(found).toEqual([named.id]);
  await named.delete();
  await expect(holdfast.sessions.get(named.id)).rejects.toMatchObject({ code: 'session-ended', status: 410 });
});

test('the end of a block ends a session that the block has made, and no other', async () => {
  const status = async ({ id }: Session) => (await holdfast.sessions.get(id)).status;
  await using named = await holdfast.sessions.create({ clientKey: 'kept' });
  {
    await using same = await holdfast.sessions.create({ clientKey: 'kept' });
    await using found = await holdfast.sessions.get(named.id);
    expect([same.id, found.id]).toEqual([named.id, named.id]);
  }
  expect(await status(named)).toBe('active');
  const left: Session[] = [];
  {
    await using made = await holdfast.sessions.create();
    const [fork] = await made.fork();
    await using copy = fork as Session;
    left.push(made, copy);
  }
  expect(await Promise.all(left.map(status))).toEqual(['completed', 'completed']);
});

test('a watch shows a file that code writes', async () => {
  for await (const event of session.files.watch()) {
    if (event.type === 'ready') await session.run("_ = open('seen.txt', 'w').write('x')");
    if (event.type !== 'ready') {
      expect(event).toMatchObject({ type: 'created', path: 'seen.txt' });
      break;
    }
  }
});

test('neither a client nor an error shows the key', async () => {
  const secret = 'hfk_a_key_that_must_stay_secret_0000';
  const stranger = new Holdfast({ url: url, apiKey: secret });
  const error = await stranger.sessions.create().catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'unauthenticated', status: 401 });
  for (const shown of [stranger, error, session])
    expect(inspect(shown, { depth: 9, showHidden: true })).not.toContain(secret);
});

/** The first bytes of a body, and then a broken connection. */
function cutAfter(body: ReadableStream<Uint8Array>, bytesMax: number): ReadableStream<Uint8Array> {
  let passed = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        passed += bytes.length;
        if (passed > bytesMax) controller.error(new TypeError('terminated'));
        else controller.enqueue(bytes);
      },
    }),
  );
}
