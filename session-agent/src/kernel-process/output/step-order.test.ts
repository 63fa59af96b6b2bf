import type { StreamMark } from '@holdfast/specs/kernel';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Stream } from '../kernel.ts';
import { createStepOrder } from './step-order.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function started() {
  const events: string[] = [];
  const pauses: boolean[] = [];
  const order = createStepOrder({
    onOutput: (_, bytes) => events.push(String(bytes)),
    onEnd: () => events.push('end'),
    pauseMessages: (isPaused) => pauses.push(isPaused),
  });
  return {
    order,
    events,
    pauses,
    write: (stream: Stream, text: string) => {
      const bytes = Buffer.from(text);
      order.output(stream, bytes);
      // The memory belongs to the next read.
      bytes.fill('?');
    },
    mark: (mark: StreamMark, streams: Stream[] = ['stdout', 'stderr']) => {
      for (const stream of streams) order.mark(stream, mark);
    },
    say: (text: string) => order.message(() => events.push(text)),
  };
}

type Channel = Stream | 'messages';
const channels: Channel[] = ['stdout', 'stderr', 'messages'];

test.for([
  ['turn', 'end'],
  ['message', 'end'],
  ['turn', 'message'],
] as const)('skips half of a %s mark before the next mark', ([half, next]) => {
  for (const stream of ['stdout', 'stderr'] as const) {
    const { mark, write, say, events } = started();
    write(stream, 'a');
    mark(half, [stream]);
    write(stream, 'b');
    mark(next);
    if (next === 'message') {
      say('c');
      mark('end');
    }
    expect(events).toEqual(next === 'message' ? ['a', 'b', 'c', 'end'] : ['a', 'b', 'end']);
  }
});

test('restores the order in which a kernel acted, however its three channels are read', () => {
  const reads = fc.infiniteStream(fc.constantFrom<Channel[]>(...channels));
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...channels), { maxLength: 40 }), reads, (acts, order) => {
      const step = started();
      const unread: Record<Channel, (() => void)[]> = { stdout: [], stderr: [], messages: [] };
      const marked = (mark: StreamMark) => {
        for (const stream of ['stdout', 'stderr'] as const) unread[stream].push(() => step.order.mark(stream, mark));
      };
      acts.forEach((act, at) => {
        if (act === 'messages') {
          marked('message');
          unread.messages.push(() => step.say(`${at}`));
        } else {
          if (at > 0 && acts[at - 1] !== act) marked('turn');
          unread[act].push(() => step.write(act, `${at}`));
        }
      });
      marked('end');
      unread.messages.push(() => step.say('value'));
      for (let left = () => channels.some((one) => unread[one].length > 0); left(); ) {
        unread[order.next().value as Channel].shift()?.();
      }
      const end = step.events.indexOf('end');
      expect(step.events.filter((event) => event !== 'end')).toEqual([...acts.map((_, at) => `${at}`), 'value']);
      expect(end).toBeGreaterThanOrEqual(acts.length);
    }),
  );
});

test('passes on the output of a stream at once while nothing comes before it', () => {
  const { events, write } = started();
  write('stdout', 'one');
  write('stdout', 'two');
  expect(events).toEqual(['one', 'two']);
});

test('gives up the order if a mark stays away for two seconds', () => {
  const { events, write, mark } = started();
  mark('turn', ['stdout']);
  write('stdout', 'waits');
  vi.advanceTimersByTime(1900);
  expect(events).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(events).toEqual(['waits']);
  write('stderr', 'at once');
  mark('turn', ['stderr']);
  mark('end');
  expect(events).toEqual(['waits', 'at once', 'end']);
});

test('gives up the order if a message stays away, and delivers it when it comes', () => {
  const { events, write, mark, say } = started();
  mark('message');
  write('stdout', 'after');
  vi.advanceTimersByTime(2100);
  expect(events).toEqual(['after']);
  say('late');
  expect(events).toEqual(['after', 'late']);
});

test('gives up the order if nothing moves for two seconds, though more comes to wait', () => {
  const { events, write, mark, say } = started();
  mark('turn', ['stdout']);
  write('stdout', 'output');
  vi.advanceTimersByTime(1500);
  say('message');
  vi.advanceTimersByTime(600);
  expect(events).toEqual(['output', 'message']);
});

test('waits for as long as the streams go on', () => {
  const { events, write, mark } = started();
  for (let turn = 0; turn < 5; turn++) {
    mark('turn', ['stdout']);
    write('stdout', `${turn}`);
    vi.advanceTimersByTime(1500);
    mark('turn', ['stderr']);
  }
  expect(events).toEqual(['0', '1', '2', '3', '4']);
});

test('holds no more than 8 MiB of output', () => {
  const { events, write, mark } = started();
  mark('turn', ['stdout']);
  for (let part = 0; part < 9; part++) write('stdout', 'x'.repeat(1024 * 1024));
  expect(events).toHaveLength(9);
});

test('does not read messages while many of them wait for their place', () => {
  const { events, pauses, mark, say } = started();
  for (let at = 0; at < 70; at++) say(`${at}`);
  expect(pauses).toEqual([true]);
  for (let at = 0; at < 70; at++) mark('message');
  expect(pauses).toEqual([true, false]);
  expect(events).toHaveLength(70);
});

test('passes on all that waits when the step is over', () => {
  const { order, events, write, mark, say } = started();
  mark('turn', ['stderr']);
  write('stderr', 'waits');
  say('message');
  order.finish();
  expect(events).toEqual(['waits', 'message']);
});
