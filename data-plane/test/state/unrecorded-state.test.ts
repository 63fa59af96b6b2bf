import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { stateClient } from '../support/state/state-client.ts';
import { agentOf } from './kill-sandbox.ts';

let installation: Installation;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
}, 120_000);
afterAll(() => installation[Symbol.asyncDispose]());

/** Lets the database refuse each new snapshot as if its disk were full, while everything else goes on. */
async function refuseSnapshots(): Promise<{ accept(): Promise<unknown> }> {
  const { owner } = installation.database;
  await owner.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused' using errcode = '53100'; end $$;
    create trigger refuse before insert on snapshots for each statement execute function refuse()`);
  return {
    accept: () => owner.sql.unsafe('drop trigger refuse on snapshots; drop function refuse'),
  };
}

const states = [
  ['a restored state', 'print(x)', '1', (id: string) => ['/restore', { snapshotId: id }] as const],
  ['a restarted context', 'print("x" in dir())', 'False', () => ['/contexts/python/restart', undefined] as const],
] as const;

test.each(states)(
  '%s is recorded when the database takes it, and the next recovery starts from it',
  async (_, show, truth, ask) => {
    const client = stateClient(holdfast);
    const { id } = await holdfast.createSession({ recovery: 'auto' });
    await client.run(id, 'python', 'x = 1');
    const { body: snapshot } = await client.post(id, '/snapshots');
    await client.run(id, 'python', 'x = 2');
    const agent = await agentOf(holdfast, id);
    const refusing = await refuseSnapshots();
    const [path, body] = ask(snapshot.id);
    expect(await client.post(id, path, body)).toMatchObject({ status: 503, body: { code: 'database-unavailable' } });
    // The sandbox has the other state by now, and goes on from there.
    expect((await client.run(id, 'python', show)).stdout.trim()).toBe(truth);
    await refusing.accept();
    await eventually(async () => {
      const rows = await installation.database.db.sql`
      select from snapshots where session_id = ${id} and origin = 'base' and context_epoch > 1`;
      expect(rows).toHaveLength(1);
    });
    process.kill(agent, 'SIGKILL');
    await client.recovered(id, 2);
    expect((await client.run(id, 'python', show)).stdout.trim()).toBe(truth);
  },
  120_000,
);
