import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOpenPorts } from '../../src/ports/open-ports.ts';
import { insertPort } from '../../src/registry/ports/insert-port.ts';
import { revokePort } from '../../src/registry/ports/revoke-port.ts';
import { purgeHistory } from '../../src/registry/sessions/purge-history.ts';
import { retentionOf } from '../../src/sessions/retention.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession } from '../support/registry-rows.ts';

let database: TestDatabase;
let sessionId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  ({ id: sessionId } = await activeSession(database.db));
});
afterAll(() => database.drop());

async function open(port: number): Promise<string> {
  const id = newId('prt');
  const row = { id, sessionId, port, access: 'link', expiresSeconds: 600, openMax: 100, admit: () => {} } as const;
  expect(await database.db.transaction((tx) => insertPort(tx, row))).toMatchObject({ isNew: true });
  return id;
}

/** Reads the open ports as a replica does, and counts the queries. */
function counted() {
  let queries = 0;
  let beganMs = 0;
  const orm = new Proxy(database.db.orm, {
    get(target, name, receiver) {
      if (name === 'select') {
        queries += 1;
        beganMs = performance.now();
      }
      return Reflect.get(target, name, receiver);
    },
  });
  return {
    openPorts: createOpenPorts({ db: { ...database.db, orm } }),
    queries: () => queries,
    beganMs: () => beganMs,
  };
}

test('many visits that are refused at once cost few queries, and each gets what was open when it came', async () => {
  const { openPorts, queries } = counted();
  const id = await open(3000);
  await openPorts.find({ sessionId, port: 3001 });
  const later = await open(3001);
  const names = Array.from({ length: 1000 }, (_, at) => ({ sessionId, port: 3000 + (at % 700) }));
  const found = await Promise.all(names.map((place) => openPorts.findAnew(place)));
  expect(queries()).toBeLessThanOrEqual(3);
  expect(found[0]).toMatchObject([{ id, port: 3000 }]);
  expect(found[701]).toMatchObject([{ id: later, port: 3001 }]);
  expect(found.slice(2, 700).flat()).toEqual([]);
  // An open port is remembered, and forgotten after a change on this replica.
  expect(await openPorts.find({ sessionId, port: 3000 })).toHaveLength(1);
  expect(queries()).toBeLessThanOrEqual(3);
  await revokePort(database.db, { id, sessionId });
  openPorts.forget({ sessionId, port: 3000 });
  expect(await openPorts.find({ sessionId, port: 3000 })).toEqual([]);
});

test('the time that a port has left is counted from before it was read', async () => {
  const { openPorts, beganMs } = counted();
  await open(3002);
  const [port] = await openPorts.find({ sessionId, port: 3002 });
  if (!port) throw new Error('the port is not open');
  expect(port.endsAtMs - port.leftMs).toBeLessThanOrEqual(beganMs());
});

test('a query that fails is not remembered', async () => {
  const orm = {
    select: () => {
      throw new Error('away');
    },
  };
  let db = { ...database.db, orm } as unknown as typeof database.db;
  const openPorts = createOpenPorts({
    get db() {
      return db;
    },
  });
  await expect(openPorts.find({ sessionId, port: 1 })).rejects.toThrow('away');
  db = database.db;
  expect(await openPorts.find({ sessionId, port: 1 })).toEqual([]);
});

test('ports that were closed for longer than a week are purged, and no others', async () => {
  const { sql } = database.db;
  const [expired, revoked, justClosed, stillOpen] = [await open(1), await open(2), await open(3), await open(4)];
  await sql`update ports set expires_at = now() - interval '8 days' where id = ${expired}`;
  await sql`update ports set revoked_at = now() - interval '8 days' where id = ${revoked}`;
  await sql`update ports set revoked_at = now() - interval '6 days', expires_at = now() - interval '1 day' where id = ${justClosed}`;
  const limits = { stepsPerSessionMax: 1000, bytesPerSessionMax: 2 ** 40, bytesPerTenantMax: 2 ** 40 };
  await purgeHistory(database.db, retentionOf({ ...limits, retentionSeconds: 1000 }));
  const left = await sql<{ id: string }[]>`select id from ports where port between 1 and 4 order by port`;
  expect(left.map(({ id }) => id)).toEqual([justClosed, stillOpen]);
});
