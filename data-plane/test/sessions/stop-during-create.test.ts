import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { removeDataDir } from '../support/remove-data-dir.ts';
import { nothingRunsIn, startHoldfast, temporaryDataDir } from '../support/start-holdfast.ts';

let database: TestDatabase;
let dataDir: Awaited<ReturnType<typeof temporaryDataDir>>;

beforeEach(async () => {
  database = await createTestDatabase();
  dataDir = await temporaryDataDir();
});

afterEach(async () => {
  await removeDataDir(dataDir.path);
  await database.drop();
});

test.each([100, 350, 700])(
  'a stop %i ms into three creates leaves no sandbox and no session that waits for one',
  async (ms) => {
    const holdfast = await startHoldfast({ HOLDFAST_DATA_DIR: dataDir.path, DATABASE_URL: database.url });
    const creates = Array.from({ length: 3 }, () => holdfast.request('POST', '/v1/sessions', {}).catch(() => null));
    await delay(ms);
    expect(await holdfast.stop()).toBe(0);
    await Promise.all(creates);
    await nothingRunsIn(dataDir.path);
    const live = await database.db.sql`select id, status from sessions where status in ('creating', 'active')`;
    expect([...live]).toEqual([]);
  },
  40_000,
);
