import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@holdfast/specs/public';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AgentError } from '../../src/agent/agent-error.ts';
import { renewLeases, type Unreachable } from '../../src/reconcile/duties/renew-leases.ts';
import { bindRoute } from '../../src/registry/routes/bind-route.ts';
import type { Route } from '../../src/sessions/sandbox-routes.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { creatingSession, routeOf } from '../support/registry-rows.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

/** Sessions whose agents do not answer until the caller's deadline, and one whose agent answers at once. */
async function leasesOf({ silent }: { silent: number }) {
  const { db } = database;
  const uids = new Map<string, string>();
  const bind = async (uid: string) => {
    const session = await creatingSession(db);
    await bindRoute(db, { ...routeOf(session), sandboxUid: uid });
    uids.set(session.id, uid);
    return session.id;
  };
  for (let nth = 0; nth < silent; nth++) await bind(newId('uid'));
  const healthy = { sessionId: await bind('healthy'), reachable: true };
  /** The uids of the agents in the order in which their turns begin; the queries for their routes may end in another one. */
  const called: string[] = [];
  const hints: string[] = [];
  /** The number of calls that had failed when the healthy agent was reached. */
  const failedBefore: number[] = [];
  const deps: Parameters<typeof renewLeases>[0] = {
    db,
    leaseSeconds: 60,
    log: { error: () => {} },
    acknowledgements: { add: () => {} },
    processAcknowledgements: { add: () => {} },
    hint: (sessionId) => void hints.push(sessionId),
    routes: {
      find: async (sessionId) => {
        called.push(uids.get(sessionId) ?? '');
        const [row] = await db.sql<{ sandboxUid: string }[]>`
          select sandbox_uid as "sandboxUid" from session_routes where session_id = ${sessionId}`;
        return { ...row, sessionId, epoch: 1, status: 'active' } as unknown as Route & { status: 'active' };
      },
    },
    agents: {
      async call({ sandboxUid }, { timeoutMs = 0 }) {
        if (sandboxUid !== 'healthy' || !healthy.reachable) {
          await delay(timeoutMs);
          throw new AgentError('undelivered', 'the agent does not answer');
        }
        failedBefore.push(hints.length);
        return { steps: [] } as never;
      },
    },
  };
  return { deps, healthy, called, hints, failedBefore };
}

test('an agent that answers is reached while many others before it have not answered yet', async () => {
  const { deps, hints, failedBefore } = await leasesOf({ silent: 64 });
  await renewLeases(deps, new Map());
  expect(hints).toHaveLength(64);
  expect(failedBefore[0]).toBeLessThan(16);
});

test('agents that did not answer come last, after their delay, and are forgotten with their sandbox', async () => {
  const { deps, called } = await leasesOf({ silent: 3 });
  const unreachable: Unreachable = new Map();
  await renewLeases(deps, unreachable);
  expect(unreachable.size).toBe(3);
  called.length = 0;
  await renewLeases(deps, unreachable);
  expect(called).toEqual(['healthy']);
  called.length = 0;
  for (const uid of unreachable.keys())
    unreachable.set(uid, { failing: true, waits: () => false, failed() {}, succeeded() {} });
  await renewLeases(deps, unreachable);
  expect(called.map((uid) => uid === 'healthy')).toEqual([true, false, false, false]);
  await database.db.sql`delete from session_routes where sandbox_uid <> 'healthy'`;
  await renewLeases(deps, unreachable);
  expect(unreachable.size).toBe(0);
});

test('an agent that answers again is renewed in each period from then on', async () => {
  const { deps, healthy, called } = await leasesOf({ silent: 0 });
  const unreachable: Unreachable = new Map();
  healthy.reachable = false;
  await renewLeases({ ...deps, leaseSeconds: 0 }, unreachable);
  healthy.reachable = true;
  await renewLeases(deps, unreachable);
  expect([called.length, unreachable.size]).toEqual([2, 0]);
});
