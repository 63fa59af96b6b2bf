import type { V1Pod } from '@kubernetes/client-node';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../../../../test/support/eventually.ts';
import { ApiError } from '../api/api-error.ts';
import type { PodEvent, Watch } from '../api/watch-pods.ts';
import { followPods } from './follow-pods.ts';

const times = { relistMs: 60_000, silenceMs: 60_000, pauseMs: { first: 1, max: 5 } };
const log = { debug() {}, info() {}, warn() {}, error() {} };
const at = (resourceVersion: string): V1Pod => ({ metadata: { name: 'a', uid: 'u', resourceVersion } });
const changed = (version: string): PodEvent => ({ type: 'MODIFIED', pod: at(version) });

type Script = (watch: Watch) => AsyncIterable<PodEvent>;
let close = async () => {};
afterEach(() => close());

/** Follows a server with numbered lists. Each watch runs the next of the scripts; the watch after the last script stays open. */
function follow(scripts: Script[], { relistMs = times.relistMs, pauseMs = times.pauseMs, list = async () => {} } = {}) {
  const seen: string[] = [];
  let lists = 0;
  const follower = followPods(
    {
      async list() {
        lists += 1;
        seen.push(`list ${lists}`);
        await list();
        return { pods: [], resourceVersion: `${lists}00` };
      },
      watch(watch) {
        seen.push(`watch ${watch.resourceVersion}`);
        return (scripts.shift() ?? open)(watch);
      },
      podCache: {
        replaceAll: () => {},
        apply: ({ type, pod }) => seen.push(`${type} ${pod.metadata?.resourceVersion}`),
      },
      onList: () => {},
      log,
    },
    { ...times, relistMs, pauseMs },
  );
  close = follower.close;
  return seen;
}

async function* open({ signal }: Watch): AsyncGenerator<PodEvent> {
  yield* [];
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

test('a watch starts at the version of the list and passes its events on', async () => {
  const seen = follow([
    async function* (watch) {
      yield changed('101');
      yield* open(watch);
    },
  ]);
  await eventually(() => expect(seen).toEqual(['list 1', 'watch 100', 'MODIFIED 101']));
});

test.each([
  ['is cut off', new ApiError('unavailable', 'terminated')],
  ['falls silent', new ApiError('unavailable', 'body timeout')],
  ['is ended by the server', null],
])('a watch that %s goes on after its last event without a new list', async (_, error) => {
  const seen = follow([
    async function* () {
      yield changed('105');
      yield { type: 'BOOKMARK', pod: at('108') };
      if (error) throw error;
    },
  ]);
  await eventually(() => expect(seen).toEqual(['list 1', 'watch 100', 'MODIFIED 105', 'BOOKMARK 108', 'watch 108']));
});

test('reads a new list if the server no longer has the version', async () => {
  const gone: Script = async function* () {
    yield* [];
    throw new ApiError('expired', 'too old resource version');
  };
  const seen = follow([gone, gone]);
  await eventually(() => {
    expect(seen).toEqual(['list 1', 'watch 100', 'list 2', 'watch 200', 'list 3', 'watch 300']);
  });
});

test('repeats a list that fails until it succeeds', async () => {
  let failures = 4;
  const seen = follow([], {
    async list() {
      failures -= 1;
      if (failures > 0) throw new ApiError('unavailable', 'no');
    },
  });
  await eventually(() => expect(seen).toEqual(['list 1', 'list 2', 'list 3', 'list 4', 'watch 400']));
});

test('reads a complete list from time to time even if the watch works', async () => {
  const busy: Script = async function* ({ resourceVersion, signal }) {
    for (let version = Number(resourceVersion); !signal.aborted; version += 1) {
      yield changed(String(version));
      await new Promise(setImmediate);
    }
  };
  const seen = follow([busy, busy, busy, busy], { relistMs: 20 });
  await eventually(() => expect(seen).toContain('list 3'));
});

test('pauses between watches that the server ends at once', async () => {
  const begun: number[] = [];
  const brief: Script = async function* () {
    begun.push(performance.now());
    yield* [];
  };
  follow(
    Array.from({ length: 10_000 }, () => brief),
    { pauseMs: { first: 20, max: 20 } },
  );
  await eventually(() => expect(begun.length).toBeGreaterThan(5));
  // A pause is shortened by up to half at random, and timers may fire a millisecond early.
  expect((begun[5] ?? 0) - (begun[0] ?? 0)).toBeGreaterThan(5 * 9);
});
