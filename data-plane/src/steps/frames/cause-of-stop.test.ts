import { Problem } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import type { Route } from '../../sessions/sandbox-routes.ts';
import { withCauseOfStop } from './cause-of-stop.ts';

const route = { sessionId: 'ses_0' } as Route;
const stopped = {
  status: 'interrupted',
  stateSurvived: false,
  durationMs: 1,
  cause: { code: 'session_ended' },
} as const;

/** A session that is active when it is first read, `activeReads` times, and then fails to be read with `end`. */
function sessionEndingWith(end: unknown, activeReads = 2) {
  let reads = 0;
  const refresh = async () => {
    if (reads++ < activeReads) return route;
    throw end;
  };
  return { routes: { refresh }, hint: () => {}, reads: () => reads };
}

test('a step that ended because its agent stopped gets the reason for which the session ends, even if that is known only later', async () => {
  const deps = sessionEndingWith(new Problem('session-ended', { endReason: 'deleted_by_operator' }));
  expect(await withCauseOfStop(deps, { route, end: stopped })).toEqual({
    ...stopped,
    cause: { code: 'deleted_by_operator' },
  });
});

test('the cause that the agent reports stays if the host ended the session', async () => {
  const deps = sessionEndingWith(new Problem('session-ended', { endReason: 'completed_by_host' }), 0);
  expect(await withCauseOfStop(deps, { route, end: stopped })).toEqual(stopped);
});

test('asks again if the database is unavailable for a moment', async () => {
  let asked = 0;
  const refresh = async () => {
    if (asked++ === 0) throw new Error('connection lost');
    throw new Problem('session-ended', { endReason: 'evicted' });
  };
  const end = await withCauseOfStop({ routes: { refresh }, hint: () => {} }, { route, end: stopped });
  expect(end.cause).toEqual({ code: 'evicted' });
});

test('does not read the session for an end with any other cause', async () => {
  const deps = sessionEndingWith(new Problem('session-ended', { endReason: 'evicted' }), 0);
  const end = { ...stopped, cause: { code: 'timeout' } } as const;
  expect(await withCauseOfStop(deps, { route, end })).toEqual(end);
  expect(deps.reads()).toBe(0);
});
