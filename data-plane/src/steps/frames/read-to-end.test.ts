import type { Done } from '@holdfast/specs/agent';
import { type EndReason, Problem } from '@holdfast/specs/public';
import { expect, test, vi } from 'vitest';
import { AgentError } from '../../agent/agent-error.ts';
import { PeerTimeout } from '../../agent/prove-peer.ts';
import type { Route } from '../../sessions/sandbox-routes.ts';
import { type ReadDependencies, readToEnd, type SendToAgent } from './read-to-end.ts';

const route = { sessionId: 'ses_0', epoch: 1, endpoint: 'http://first' } as Route;
const succeeded = { status: 'succeeded', stateSurvived: true, durationMs: 1, cause: null } as Done;

const fails = (kind: AgentError['kind']) => async () => {
  throw new AgentError(kind, 'as told');
};

/** An agent whose attach streams have the given outcomes, one after the other, and a registry that gives `refresh`. */
function reading({
  attaches = [],
  refresh = async () => route,
}: {
  attaches?: ('cut' | 'done' | 'not-found')[];
  refresh?: () => Promise<Route>;
}) {
  const intake = { done: null as Done | null, lastSeq: 7 };
  const seen = { attached: [] as unknown[], hints: 0, condemned: [] as [EndReason, string][] };
  const outcomes = attaches.values();
  const stream: ReadDependencies['agents']['stream'] = async (to, { path, body }) => {
    seen.attached.push([(to as Route).endpoint, path, body]);
    const outcome = outcomes.next().value;
    if (outcome === 'cut') throw new AgentError('cut', 'as told');
    if (outcome === 'not-found') throw new AgentError('refused', 'as told', { slug: outcome });
    intake.done = succeeded;
  };
  const deps: ReadDependencies = {
    agents: { stream },
    routes: { refresh },
    hint: () => {
      seen.hints += 1;
    },
    condemn: async (_, { reason, message }) => {
      seen.condemned.push([reason, message]);
    },
  };
  const read = (send: SendToAgent | null, signal = new AbortController().signal) =>
    readToEnd(deps, { stepId: 'stp_0', route, send, intake, onFrames: () => {}, done: new Promise(() => {}), signal });
  return { intake, seen, read };
}

test('sends a step once and attaches to it by its id after every cut', async () => {
  const moved = { ...route, endpoint: 'http://second' } as Route;
  const { seen, read } = reading({ attaches: ['cut', 'done'], refresh: async () => moved });
  let sent = 0;
  const send = async () => {
    sent += 1;
    return await fails('cut')();
  };
  expect(await read(send)).toEqual(succeeded);
  const attach = ['http://second', '/v1/steps/stp_0/attach', { after: 7, burn: true }];
  expect({ sent, ...seen }).toEqual({ sent: 1, attached: [attach, attach], hints: 2, condemned: [] });
});

test('throws if the step provably did not start, and does not attach', async () => {
  const { seen, read } = reading({});
  await expect(read(fails('undelivered'))).rejects.toMatchObject({ kind: 'undelivered' });
  expect(seen.attached).toEqual([]);
});

const tooSlow = async () => {
  throw new AgentError('undelivered', 'as told', { cause: new PeerTimeout('as told') });
};

test('sends a step again whose agent was slow to prove itself', async () => {
  const { intake, seen, read } = reading({});
  let sent = 0;
  const send = async () => {
    sent += 1;
    if (sent < 3) return await tooSlow();
    intake.done = succeeded;
  };
  expect(await read(send)).toEqual(succeeded);
  expect({ sent, ...seen }).toEqual({ sent: 3, attached: [], hints: 2, condemned: [] });
});

test('gives an agent up that stays slow', async () => {
  vi.useFakeTimers();
  try {
    const { seen, read } = reading({});
    const thrown = expect(read(tooSlow)).rejects.toMatchObject({ kind: 'undelivered' });
    await vi.advanceTimersByTimeAsync(30_000);
    await thrown;
    expect(seen.attached).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

test('does not send a step again whose sandbox was replaced meanwhile', async () => {
  const { seen, read } = reading({ refresh: async () => ({ ...route, epoch: 2 }) });
  let sent = 0;
  const send = async () => {
    sent += 1;
    return await tooSlow();
  };
  await expect(read(send)).rejects.toMatchObject({ kind: 'undelivered' });
  expect({ sent, attached: seen.attached }).toEqual({ sent: 1, attached: [] });
});

test('attaches at once to a step that another replica has sent', async () => {
  const { seen, read } = reading({ attaches: ['done'] });
  expect(await read(null)).toEqual(succeeded);
  expect(seen).toMatchObject({ attached: [['http://first', '/v1/steps/stp_0/attach', {}]], hints: 0 });
});

test('ends with `done` even if the agent never closes its answer', async () => {
  const { intake, seen } = reading({});
  const done = Promise.withResolvers<void>();
  const deps = { routes: { refresh: async () => route }, hint: () => {}, condemn: async () => {} };
  const agents = { stream: () => new Promise<never>(() => {}) };
  const signal = new AbortController().signal;
  const end = readToEnd(
    { ...deps, agents },
    { stepId: 'stp_0', route, send: null, intake, onFrames: () => {}, done: done.promise, signal },
  );
  intake.done = succeeded;
  done.resolve();
  expect(await end).toEqual(succeeded);
  expect(seen.hints).toBe(0);
});

test('condemns the sandbox of an agent that breaks the protocol', async () => {
  const { seen, read } = reading({});
  expect(await read(fails('invalid'))).toMatchObject({ status: 'lost', cause: { code: 'sandbox_lost' } });
  expect(seen.condemned).toEqual([['sandbox_lost', 'step stp_0: broken protocol: as told']]);
});

test('condemns the sandbox of a step that ran past its deadline only after its agent was asked once more', async () => {
  const { seen, read } = reading({ attaches: ['cut'] });
  expect(await read(fails('cut'), AbortSignal.abort())).toMatchObject({ status: 'lost', cause: { code: 'overran' } });
  expect(seen.attached).toEqual([['http://first', '/v1/steps/stp_0/attach', { after: 7, burn: true }]]);
  expect(seen.condemned).toEqual([['step_overran', 'step stp_0: it ran past its deadline']]);
});

test('takes the end that the agent reports when it is asked once more', async () => {
  const { seen, read } = reading({ attaches: ['done'] });
  expect(await read(fails('cut'), AbortSignal.abort())).toEqual(succeeded);
  expect(seen.condemned).toEqual([]);
});

test('a step that its agent never began is not a reason to condemn the sandbox', async () => {
  const { intake, seen, read } = reading({ attaches: ['not-found'] });
  intake.lastSeq = 0;
  const end = await read(fails('cut'), AbortSignal.abort());
  expect([end, seen.condemned]).toMatchObject([{ status: 'lost', cause: { code: 'never_started' } }, []]);
});

test.each([
  ['is in a later epoch', async () => ({ ...route, epoch: 2 }), 'sandbox_lost'],
  ['was evicted', () => Promise.reject(new Problem('session-ended', { endReason: 'evicted' })), 'evicted'],
  ['was deleted', () => Promise.reject(new Problem('session-ended')), 'session_ended'],
] as const)('a step that was cut off from a session that %s is lost', async (_, refresh, code) => {
  const { seen, read } = reading({ refresh: refresh as () => Promise<Route> });
  expect(await read(fails('cut'))).toMatchObject({ status: 'lost', cause: { code } });
  expect(seen.attached).toEqual([]);
});
