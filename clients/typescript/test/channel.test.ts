import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket as PackageWs } from 'ws';
import { eventually } from '../../../data-plane/test/support/eventually.ts';
import { createInstallation, type Installation } from '../../../data-plane/test/support/installation.ts';
import { type ChannelOutput, Holdfast, type ProcessChannel, type Session } from '../src/index.ts';

let installation: Installation;
let server: Awaited<ReturnType<Installation['start']>>;
let port: string;

beforeAll(async () => {
  installation = await createInstallation();
  port = String(await freePort());
  server = await installation.start({ HOLDFAST_PORT: port });
});
afterAll(() => installation[Symbol.asyncDispose]());

async function textOf(channel: ProcessChannel): Promise<string> {
  let text = '';
  for await (const { bytes } of channel) text += Buffer.from(bytes);
  return text;
}

/** Reads on until the output has this text. */
async function until(output: AsyncIterator<ChannelOutput>, text: string): Promise<void> {
  for (let seen = ''; !seen.includes(text); ) {
    const { value } = await output.next();
    if (!value) throw new Error(`ended before ${text}: ${seen}`);
    seen += Buffer.from(value.bytes);
  }
}

const sockets = [
  ['the package ws', PackageWs],
  ['the global WebSocket', undefined],
] as const;

describe.each(sockets)('with %s', (_, webSocket) => {
  let holdfast: Holdfast;
  let session: Session;
  beforeAll(async () => {
    holdfast = new Holdfast({ url: server.url, webSocket });
    session = await holdfast.sessions.create();
  });

  test('a terminal shows what is typed, takes another size, and ends with its exit code', async () => {
    await using terminal = await session.terminal({ command: ['bash', '--norc'], columns: 100, rows: 30 });
    const output = terminal[Symbol.asyncIterator]();
    await terminal.write('stty size\n');
    await until(output, '30 100');
    await terminal.resize({ columns: 90, rows: 20 });
    await terminal.write('stty size; exit 3\n');
    await until(output, '20 90');
    for await (const _ of output);
    expect(terminal.process.record).toMatchObject({ status: 'exited', exitCode: 3 });
  });

  test('no byte is missing or comes twice if the server is killed meanwhile', { timeout: 90_000 }, async () => {
    const process = await session.processes.start('for i in $(seq 1 150); do seq $i $((i + 999)); sleep 0.02; done');
    const hash = createHash('sha256');
    let size = 0;
    let start: number | undefined;
    let restarted: Promise<void> | undefined;
    for await (const { bytes, seq, missingBefore } of process.channel()) {
      hash.update(bytes);
      start ??= seq - bytes.length;
      size += bytes.length;
      expect([seq - start, missingBefore]).toEqual([size, 0]);
      if (size > 100_000) restarted ??= restart();
    }
    await restarted;
    expect(restarted).toBeDefined();
    const lines = Array.from({ length: 150 }, (_, i) =>
      Array.from({ length: 1000 }, (_, j) => `${i + 1 + j}\n`).join(''),
    );
    expect(hash.digest('hex')).toBe(createHash('sha256').update(lines.join('')).digest('hex'));
    expect(process.record).toMatchObject({ status: 'exited', exitCode: 0 });
  });

  test('input, signals and the size still arrive after the server was killed', { timeout: 60_000 }, async () => {
    const program = 'trap "echo caught" USR1; stty size; while read line; do echo "got $line"; stty size; done';
    const process = await session.processes.start(['bash', '-c', program], { terminal: { columns: 80, rows: 24 } });
    await using channel = process.channel({ endsProcess: true });
    const output = channel[Symbol.asyncIterator]();
    await until(output, '24 80');
    await channel.resize({ columns: 91, rows: 21 });
    await channel.write('one\n');
    await until(output, '21 91');
    await restart();
    await channel.write('two\n');
    await until(output, 'got two');
    await channel.signal('SIGUSR1');
    await until(output, 'caught');
  });

  test('a reader that is slow gets everything', { timeout: 60_000 }, async () => {
    const process = await session.processes.start(['head', '-c', '6000000', '/dev/zero']);
    let size = 0;
    let isFirst = true;
    for await (const { bytes, missingBefore } of process.channel()) {
      if (isFirst) await process.wait({ signal: AbortSignal.timeout(1000) }).catch(() => {});
      isFirst = false;
      size += bytes.length + missingBefore;
    }
    expect(size).toBe(6_000_000);
  });

  test('a refused command rejects, and the next one arrives', async () => {
    const process = await session.processes.start(['cat'], { stdin: true });
    const channel = process.channel();
    const refused = expect(channel.resize({ columns: 90, rows: 20 })).rejects.toMatchObject({ code: 'no-terminal' });
    await channel.write('abc');
    await refused;
    await channel.write('def');
    await channel.end();
    expect(await textOf(channel)).toBe('abcdef');
  });

  test('a place in the output and an end of the input are kept', async () => {
    const process = await session.processes.start(['cat'], { stdin: true });
    const channel = process.channel();
    await channel.write('abcdef');
    await channel.end();
    let [text, last] = ['', 0];
    for await (const { bytes, seq } of channel) [text, last] = [text + Buffer.from(bytes), seq];
    expect(text).toBe('abcdef');
    expect(await textOf(process.channel({ after: last - 2 }))).toBe('ef');
    await expect(channel.write('more')).rejects.toMatchObject({ code: 'process-ended' });
  });

  test('input that a process does not take is told by a later call', async () => {
    const process = await session.processes.start(['sleep', '60']);
    await using channel = process.channel({ endsProcess: true });
    await eventually(() => expect(channel.write('x')).rejects.toMatchObject({ code: 'stdin-closed' }));
  });

  test('an abort ends the iteration with its reason, and the process goes on', async () => {
    await using process = await session.processes.start(['sleep', '60']);
    const stop = new AbortController();
    const text = textOf(process.channel({ signal: stop.signal }));
    const reason = new Error('seen enough');
    stop.abort(reason);
    await expect(text).rejects.toBe(reason);
    expect((await process.refresh()).status).toBe('running');
  });

  test('a refusal of the server ends the channel with its reason', async () => {
    const process = await session.processes.start(['sleep', '60']);
    const watch = await holdfast.api.POST('/v1/sessions/{sessionId}/shares', {
      params: { path: { sessionId: session.id } },
      body: { access: 'watch', expiresSeconds: 60 },
    });
    const run = await holdfast.api.POST('/v1/sessions/{sessionId}/shares', {
      params: { path: { sessionId: session.id } },
      body: { access: 'run', expiresSeconds: 60 },
    });
    const asGuest = async (apiKey = '') => {
      const guest = await new Holdfast({ url: server.url, apiKey, webSocket }).sessions.get(session.id);
      return (await guest.processes.get(process.id)).channel();
    };
    await expect(textOf(await asGuest(watch.data?.token))).rejects.toMatchObject({ code: 'forbidden' });
    const channel = await asGuest(run.data?.token);
    await channel.signal('SIGKILL');
    expect(await textOf(channel)).toBe('');
    expect(channel.process.record).toMatchObject({ status: 'signalled', signal: 'SIGKILL' });
  });
});

test('a signal reaches a process whose output is not read, also without the package ws', async () => {
  const sent: unknown[] = [];
  class Spied extends WebSocket {
    override send(message: string) {
      sent.push(message);
      super.send(message);
    }
  }
  const session = await new Holdfast({ url: server.url, webSocket: Spied }).sessions.create();
  await using process = await session.processes.start(['yes', '1']);
  const channel = process.channel();
  await eventually(() => expect(sent).toContain('{"type":"pause-output"}'));
  await channel.signal('SIGTERM');
  expect(await process.wait()).toMatchObject({ status: 'signalled', signal: 'SIGTERM' });
  let last = '';
  for await (const { bytes } of channel) last = String(Buffer.from(bytes));
  // The end may come while the last pause is on its way.
  expect(sent).toContain('{"type":"resume-output"}');
  expect(last).toMatch(/\d\n/);
});

/** Kills the server and starts it again at the same address. */
async function restart(): Promise<void> {
  await server.kill();
  server = await installation.start({ HOLDFAST_PORT: port });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
