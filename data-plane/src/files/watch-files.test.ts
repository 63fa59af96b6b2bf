import { PassThrough, Readable } from 'node:stream';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Route } from '../sessions/sandbox-routes.ts';
import { watchFiles } from './watch-files.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  return () => vi.useRealTimers();
});

const inPieces = (...pieces: string[]) => Readable.from(pieces.map((piece) => Buffer.from(piece)));
const line = (event: object) => `${JSON.stringify(event)}\n`;

/** A watch of which the sandbox sends this answer, and the sessions at which the watch has hinted. */
async function watchOf(answer: Readable) {
  const hints: string[] = [];
  const gone = new AbortController();
  const deps = {
    agents: { pull: () => answer },
    routes: { resolve: async () => ({}) as Route, refresh: async () => ({}) as Route },
    hint: (sessionId: string) => void hints.push(sessionId),
  };
  const caller = { tenant: 'default', scopes: new Set<never>(), keyId: null };
  const input = { caller, sessionId: 'ses_1', path: '', recursive: false, signal: gone.signal };
  return { events: await watchFiles(deps, input), hints };
}

test('a reader that takes nothing for hours does not make the sandbox look silent', async () => {
  const sent = [{ type: 'ready' }, { type: 'created', path: 'x' }, { type: 'ended', reason: 'deleted' }];
  const { events, hints } = await watchOf(inPieces(...sent.map(line)));
  const told = [];
  for await (const event of events) {
    told.push(event);
    await vi.advanceTimersByTimeAsync(3_600_000);
  }
  expect(told).toEqual(sent);
  expect(hints).toEqual([]);
});

test('a sandbox that says nothing for a minute ends its watch, also in the middle of a line', async () => {
  for (const last of ['', '{"type":']) {
    const answer = new PassThrough();
    answer.write(line({ type: 'ready' }) + last);
    const { events, hints } = await watchOf(answer);
    expect((await events.next()).value).toEqual({ type: 'ready' });
    const end = expect(events.next()).rejects.toMatchObject({ slug: 'sandbox-unreachable' });
    await vi.advanceTimersByTimeAsync(60_000);
    await end;
    expect(hints).toEqual(['ses_1']);
  }
});
