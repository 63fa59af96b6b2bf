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

/** Looks find the session active until `end` is what they meet. */
function sessionEndingWith(end: unknown, activeLooks = 2) {
  let looks = 0;
  const refresh = async () => {
    if (looks++ < activeLooks) return route;
    throw end;
  };
  return { routes: { refresh }, hint: () => {}, looks: () => looks };
}

test('a step that its agent stopped with has the cause for which the session ends, also where that is known later', async () => {
  const deps = sessionEndingWith(new Problem('session-ended', { endReason: 'deleted_by_operator' }));
  expect(await withCauseOfStop(deps, { route, end: stopped })).toEqual({
    ...stopped,
    cause: { code: 'deleted_by_operator' },
  });
});

test('where the host has ended the session the agent is right', async () => {
  const deps = sessionEndingWith(new Problem('session-ended', { endReason: 'completed_by_host' }), 0);
  expect(await withCauseOfStop(deps, { route, end: stopped })).toEqual(stopped);
});

test('a database that is away for a moment is asked again', async () => {
  let asked = 0;
  const refresh = async () => {
    if (asked++ === 0) throw new Error('connection lost');
    throw new Problem('session-ended', { endReason: 'evicted' });
  };
  const end = await withCauseOfStop({ routes: { refresh }, hint: () => {} }, { route, end: stopped });
  expect(end.cause).toEqual({ code: 'evicted' });
});

test('any other end is taken as it is told, without a look', async () => {
  const deps = sessionEndingWith(new Problem('session-ended', { endReason: 'evicted' }), 0);
  const end = { ...stopped, cause: { code: 'timeout' } } as const;
  expect(await withCauseOfStop(deps, { route, end })).toEqual(end);
  expect(deps.looks()).toBe(0);
});
