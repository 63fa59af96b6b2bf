import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { releaseWorld } from '../../src/registry/world-files/release-world.ts';
import { createWorlds, type WorldWrite } from '../../src/world/create-worlds.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startStoring } from '../support/start-storing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** The world of a session, a write to it, and another replica that takes the write's claim over and finds nothing to do. */
async function startWriting() {
  const storing = await startStoring(database);
  const { deps, sessionId } = storing;
  const other = createWorlds({ ...deps, replicaId: newId('rep') });
  return {
    write: (work: (write: WorldWrite) => Promise<void>) => deps.worlds.write({ sessionId, route: null }, work),
    takeOver: () =>
      other.write({ sessionId, route: null }, async ({ claim }) => {
        await releaseWorld(database.db, { ...claim, isUnsettled: false });
      }),
    isMarked: async () => {
      const rows = await database.db.sql`select from worlds where session_id = ${sessionId} and is_unsettled`;
      return rows.length > 0;
    },
    [Symbol.asyncDispose]: storing[Symbol.asyncDispose],
  };
}

const leavesAll = () => false;

test('a write whose claim was taken over while its replica slept does not change the working copy any more', async () => {
  await using writing = await startWriting();
  let isChanged = false;
  const change = async () => {
    isChanged = true;
  };
  const write = writing.write(async ({ touch }) => {
    await writing.takeOver();
    await touch(change, { leavesAll });
  });
  await expect(write).rejects.toMatchObject({ slug: 'world-unsettled' });
  expect({ isChanged, isMarked: await writing.isMarked() }).toEqual({ isChanged: false, isMarked: false });
});

test('a world is marked after a change that was taken over, as soon as the database lets that be written', async () => {
  await using writing = await startWriting();
  const { owner } = database;
  await owner.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin
      perform nextval('refused'); raise exception 'away' using errcode = '57P03';
    end $$;
    create sequence refused`);
  const write = writing.write(async ({ touch }) => {
    await touch(writing.takeOver, { leavesAll });
    await owner.sql.unsafe(
      'create trigger away before insert or update on worlds for each row execute function refuse()',
    );
    throw new Error('the answer was lost');
  });
  await expect(write).rejects.toThrow('the answer was lost');
  expect(await writing.isMarked()).toBe(false);
  await owner.sql`drop trigger away on worlds`;
  await eventually(async () => expect(await writing.isMarked()).toBe(true));
});
