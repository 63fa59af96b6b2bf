import { expect, test } from 'vitest';
import { createPatience } from './patience.ts';
import { readEvents } from './read-events.ts';
import { resumedEvents } from './resumed-events.ts';

type Event = { seq: number; type: string };

const encoder = new TextEncoder();
const text = (event: Event) => `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** A body of these pieces, which then ends, breaks, or stays silent. */
function bodyOf(pieces: (string | Uint8Array)[], end: 'end' | 'break' | 'silence' = 'end'): ReadableStream<Uint8Array> {
  const rest = pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece));
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = rest.shift();
        if (piece) return controller.enqueue(piece);
        if (end === 'end') controller.close();
        if (end === 'break') controller.error(new TypeError('terminated'));
        if (end === 'silence') await new Promise(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const log: Event[] = [1, 2, 3, 4, 5].map((seq) => ({ seq, type: seq === 5 ? 'finished' : 'stdout' }));

function follow(open: (last: Event | null, times: number) => ReadableStream<Uint8Array> | null, limitMs = 5000) {
  let times = 0;
  return resumedEvents<Event>({
    open: async (last) => open(last, times++),
    isLast: ({ type }) => type === 'finished',
    isBehind: (event, last) => event.seq > last.seq,
    patience: createPatience(() => limitMs),
  });
}

test('goes on behind the last event when the connection breaks, also in the middle of one', async () => {
  const lasts: (number | null)[] = [];
  const events = follow((last) => {
    lasts.push(last?.seq ?? null);
    const rest = log.slice(last?.seq ?? 0, (last?.seq ?? 0) + 2);
    return bodyOf([...rest.map(text), 'id: 9\nevent: stdout\nda'], 'break');
  });
  expect(await collected(events)).toEqual(log);
  expect(lasts).toEqual([null, 2, 4]);
});

test('gives an event once if a server sends it again', async () => {
  const events = follow((_, times) => bodyOf(log.slice(0, times === 0 ? 3 : 5).map(text), 'break'));
  expect(await collected(events)).toEqual(log);
});

test('goes on after a problem in the stream, and throws it if that does not help', async () => {
  const problem = 'event: problem\ndata: {"code":"quota-exceeded","title":"A limit has been reached","status":429}\n\n';
  const helped = follow((last) => bodyOf(last ? log.slice(last.seq).map(text) : [text(log[0] as Event), problem]));
  expect(await collected(helped)).toEqual(log);
  await expect(collected(follow(() => bodyOf([problem]), 300))).rejects.toMatchObject({ code: 'quota-exceeded' });
});

test('ends if nothing comes any more', async () => {
  expect(await collected(follow((last) => (last ? null : bodyOf([text(log[0] as Event)]))))).toEqual([log[0]]);
});

test('reads events whose bytes arrive in any pieces, and leaves comments out', async () => {
  const whole = encoder.encode(
    `: still here\n\n${text({ seq: 1, type: 'é😀' })}: still here\n\n${text({ seq: 2, type: 'b' })}`,
  );
  for (const size of [1, 2, 3, 7, whole.length]) {
    const pieces = [];
    for (let at = 0; at < whole.length; at += size) pieces.push(whole.subarray(at, at + size));
    const events = await collected(readEvents(bodyOf(pieces)));
    expect(events.map(({ data }) => JSON.parse(data).type)).toEqual(['é😀', 'b']);
  }
});

test('an abort ends a wait for the next event with its reason', async () => {
  const stop = new AbortController();
  const reason = new Error('enough');
  const events = collected(readEvents(bodyOf([': still here\n\n'], 'silence'), { signal: stop.signal }));
  setTimeout(() => stop.abort(reason), 20);
  await expect(events).rejects.toBe(reason);
});

test('gives up a connection on which not even a comment arrives', async () => {
  await expect(collected(readEvents(bodyOf([': still here\n\n'], 'silence'), { silenceMs: 50 }))).rejects.toThrow(
    'nothing arrived',
  );
});

test('an event that does not end is given up, and not asked for again', async () => {
  const endless = () => bodyOf(Array.from({ length: 20 }, () => `data: ${'x'.repeat(100)}`));
  const read = collected(readEvents(endless(), { charactersMax: 1000 }));
  await expect(read).rejects.toMatchObject({ code: 'unexpected-answer' });
  const short = bodyOf(Array.from({ length: 20 }, () => `data: ${'x'.repeat(100)}\n\n`));
  expect(await collected(readEvents(short, { charactersMax: 1000 }))).toHaveLength(20);
  let times = 0;
  const events = resumedEvents<Event>({
    open: async () => {
      times += 1;
      return bodyOf(['event: problem\ndata: {}\n\n']);
    },
    isLast: () => false,
    patience: createPatience(() => 5000),
  });
  await expect(collected(events)).rejects.toMatchObject({ code: 'unexpected-answer' });
  expect(times).toBe(1);
});
