import { afterEach, expect, test, vi } from 'vitest';
import type { Socket } from '../http/open-socket.ts';
import { createPatience } from '../http/patience.ts';
import { createChannelLink } from './channel-link.ts';
import { createChannelQueue } from './channel-queue.ts';

afterEach(() => void vi.useRealTimers());

/** A socket whose server is the test. */
function createSocket(canPause: boolean, canPing: boolean) {
  const target = new EventTarget();
  const seen = { closed: false, paused: false, sent: [] as unknown[] };
  const emit = (type: string, data?: unknown) => target.dispatchEvent(Object.assign(new Event(type), { data }));
  const socket = {
    binaryType: '',
    bufferedAmount: 0,
    send: (message: unknown) => void seen.sent.push(message),
    close() {
      if (seen.closed) return;
      seen.closed = true;
      queueMicrotask(() => emit('close'));
    },
    addEventListener: target.addEventListener.bind(target),
    ...(canPing && { on: target.addEventListener.bind(target) }),
    ...(canPause && {
      pause: () => Object.assign(seen, { paused: true }),
      resume: () => Object.assign(seen, { paused: false }),
    }),
  } as unknown as Socket;
  return {
    socket,
    seen,
    note: (notice: object) => emit('message', JSON.stringify(notice)),
    text: (text: string) => emit('message', text),
    bytes: (text: string) => emit('message', new TextEncoder().encode(text).buffer),
    close: () => emit('close'),
  };
}

function createChannel({ canPause = false, canPing = false, silenceMs = 60_000, explain = async () => {} } = {}) {
  const opened: { after: number; server: ReturnType<typeof createSocket> }[] = [];
  const queue = createChannelQueue({ stop: () => link.stop(), cut: () => link.cut(), goOn: () => link.goOn() });
  const open = (after: number) => {
    const server = createSocket(canPause, canPing);
    opened.push({ after, server });
    return server.socket;
  };
  const ends = {
    open,
    explain,
    patience: (signal: AbortSignal) => createPatience(() => 5000, signal),
    after: 0,
    silenceMs,
  };
  const link = createChannelLink(ends, {
    onOpen() {},
    onOutput: queue.add,
    onNotice: (notice) => notice.type === 'truncated' && queue.addMissing(notice.bytes),
    onLost() {},
    onEnd: queue.end,
  });
  const serverOf = async (place: number) => {
    await expect.poll(() => opened.length).toBeGreaterThan(place);
    return opened[place] as (typeof opened)[number];
  };
  return { serverOf, output: queue.read(), opened, end: link.end, opening: link.opened };
}

const finished = { type: 'finished', seq: 9, process: {} };

test('goes on behind the last byte, by the places that the server names', async () => {
  const { serverOf, output } = createChannel();
  const first = await serverOf(0);
  first.server.note({ type: 'opened', process: {} });
  first.server.note({ type: 'position', seq: 3 });
  first.server.bytes('abc');
  first.server.close();
  const second = await serverOf(1);
  expect([first.after, second.after]).toEqual([0, 6]);
  // The connection that broke says nothing any more.
  first.server.bytes('late');
  second.server.note({ type: 'truncated', seq: 100, bytes: 94 });
  second.server.bytes('d');
  second.server.note(finished);
  const pieces: unknown[] = [];
  for await (const { bytes, seq, missingBefore } of output)
    pieces.push([new TextDecoder().decode(bytes), seq, missingBefore]);
  expect(pieces).toEqual([
    ['abc', 6, 0],
    ['d', 101, 94],
  ]);
});

test.each(['<html>', '7', '{}', 'null'])(
  'a connection on which %s comes is not that of the server, and is given up',
  async (text) => {
    const { serverOf, output } = createChannel();
    const first = await serverOf(0);
    first.server.note({ type: 'opened', process: {} });
    first.server.bytes('abc');
    first.server.text(text);
    expect(first.server.seen.closed).toBe(true);
    const second = await serverOf(1);
    expect(second.after).toBe(3);
    second.server.note(finished);
    const sizes: number[] = [];
    for await (const { bytes } of output) sizes.push(bytes.length);
    expect(sizes).toEqual([3]);
  },
);

test('a connection that cannot wait is closed while much is unread, and opened again behind it', async () => {
  const { serverOf, output, opened } = createChannel();
  const { server } = await serverOf(0);
  server.note({ type: 'opened', process: {} });
  const half = 'x'.repeat(600 * 1024);
  server.bytes(half);
  expect(server.seen.closed).toBe(false);
  server.bytes(half);
  expect(server.seen.closed).toBe(true);
  // Long after the close, and longer than the first pause before a repeat.
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(opened).toHaveLength(1);
  await output.next();
  expect(opened).toHaveLength(1);
  await output.next();
  expect(await serverOf(1)).toMatchObject({ after: 2 * half.length });
  (await serverOf(1)).server.note(finished);
  expect(await output.next()).toMatchObject({ done: true });
});

test('a connection that can wait does, until half is read', async () => {
  const { serverOf, output, opened } = createChannel({ canPause: true });
  const { server } = await serverOf(0);
  server.note({ type: 'opened', process: {} });
  for (let i = 0; i < 5; i++) server.bytes('x'.repeat(256 * 1024));
  expect(server.seen.paused).toBe(true);
  await output.next();
  await output.next();
  expect(server.seen.paused).toBe(true);
  await output.next();
  expect(server.seen).toMatchObject({ paused: false, closed: false });
  expect(opened).toHaveLength(1);
  server.note(finished);
});

test.each([true, false])(
  'a connection that is silent is opened again behind the last byte; once open: %s',
  async (isOpen) => {
    const { serverOf, end } = createChannel({ canPing: true, silenceMs: 20 });
    const { server } = await serverOf(0);
    if (isOpen) {
      server.note({ type: 'opened', process: {} });
      server.note({ type: 'position', seq: 0 });
      server.bytes('abc');
    }
    expect((await serverOf(1)).after).toBe(isOpen ? 3 : 0);
    expect(server.seen.closed).toBe(true);
    end();
  },
);

const commands = ['signal', 'pause-output', 'resume-output'];

test('a connection that cannot wait asks a server that can, and stays open for input', async () => {
  const { serverOf, output, opened, opening } = createChannel();
  const { server } = await serverOf(0);
  server.note({ type: 'opened', process: {}, commands });
  const half = 'x'.repeat(600 * 1024);
  server.bytes(half);
  server.bytes(half);
  expect(server.seen.sent).toEqual(['{"type":"pause-output"}']);
  expect(await opening()).toBe(server.socket);
  await output.next();
  await output.next();
  expect(server.seen).toMatchObject({ closed: false, sent: ['{"type":"pause-output"}', '{"type":"resume-output"}'] });
  expect(opened).toHaveLength(1);
  server.note(finished);
});

test('a connection that was asked to wait and does not is closed, and opened again behind its last byte', async () => {
  const { serverOf, output } = createChannel();
  const { server } = await serverOf(0);
  server.note({ type: 'opened', process: {}, commands });
  const piece = 'x'.repeat(1024 * 1024);
  for (let i = 0; i < 8; i++) server.bytes(piece);
  expect(server.seen.closed).toBe(false);
  server.bytes(piece);
  expect(server.seen.closed).toBe(true);
  server.bytes('late');
  for (let i = 0; i < 9; i++) await output.next();
  const second = await serverOf(1);
  expect(second.after).toBe(9 * piece.length);
  second.server.note(finished);
  expect(await output.next()).toMatchObject({ done: true });
});

test('a connection without pings is opened again if a server that says `alive` is silent', async () => {
  vi.useFakeTimers();
  const { opened, end } = createChannel({ silenceMs: 100 });
  const { server } = opened[0] as (typeof opened)[number];
  server.note({ type: 'opened', process: {}, commands });
  for (let i = 0; i < 5; i++) {
    await vi.advanceTimersByTimeAsync(60);
    server.note({ type: 'alive' });
  }
  expect(server.seen.closed).toBe(false);
  await vi.advanceTimersByTimeAsync(101);
  expect(server.seen.closed).toBe(true);
  end();
});

test('the end of a channel ends its wait for a server that is away', async () => {
  vi.useFakeTimers();
  const { opened, end } = createChannel();
  opened[0]?.server.note({ type: 'opened', process: {} });
  opened[0]?.server.close();
  await vi.advanceTimersByTimeAsync(1);
  expect(vi.getTimerCount()).toBe(1);
  end();
  expect(vi.getTimerCount()).toBe(0);
  expect(opened).toHaveLength(1);
});

test('the end of a channel reads on a connection that waits, which would not see the answer to its close', async () => {
  const { serverOf, end } = createChannel({ canPause: true });
  const { server } = await serverOf(0);
  server.note({ type: 'opened', process: {} });
  for (let i = 0; i < 5; i++) server.bytes('x'.repeat(256 * 1024));
  expect(server.seen.paused).toBe(true);
  end();
  expect(server.seen).toMatchObject({ paused: false, closed: true });
});

test('a handshake that fails ends the channel with the reason that the server gives', async () => {
  const reason = new Error('forbidden');
  const { serverOf, output } = createChannel({ explain: () => Promise.reject(reason) });
  (await serverOf(0)).server.close();
  await expect(output.next()).rejects.toBe(reason);
});

test('the end of a channel ends its connection and its output', async () => {
  const { serverOf, output, opened, end } = createChannel();
  const { server } = await serverOf(0);
  server.note({ type: 'opened', process: {} });
  server.bytes('abc');
  end();
  expect(server.seen.closed).toBe(true);
  expect(await output.next()).toMatchObject({ done: false });
  expect(await output.next()).toMatchObject({ done: true });
  expect(opened).toHaveLength(1);
});
