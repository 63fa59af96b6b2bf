import { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { untilForkedEnds } from './until-forked-ends.ts';

const never = new Promise<never>(() => {});
/** No process has this id: it is above the highest that Linux gives. */
const gone = { pid: 2 ** 22 + 1, startedAt: 1 };

test('an end that a stopped zygote does not report is seen soon after the first look, though a child holds the channel', async () => {
  vi.useFakeTimers();
  try {
    const onEnd = vi.fn();
    void untilForkedEnds({ ...gone, control: new Socket() }, { reported: never, zygoteEnded: never }).then(onEnd);
    await vi.advanceTimersByTimeAsync(5500);
    expect(onEnd.mock.calls).toEqual([[{ exitCode: null, signal: null }]]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('an end that is not reported is seen soon after the end of the zygote', async () => {
  vi.useFakeTimers();
  try {
    const onEnd = vi.fn();
    const zygoteEnded = Promise.resolve();
    void untilForkedEnds({ ...gone, control: new Socket() }, { reported: never, zygoteEnded }).then(onEnd);
    await vi.advanceTimersByTimeAsync(600);
    expect(onEnd.mock.calls).toEqual([[{ exitCode: null, signal: null }]]);
  } finally {
    vi.useRealTimers();
  }
});
