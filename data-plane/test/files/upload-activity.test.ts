import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { filesClient } from '../support/files-client.ts';
import { createInstallation } from '../support/installation.ts';

const idleTimeoutSeconds = 2;

test.each(['file', 'archive'])(
  'the slow upload of a %s keeps its session from idling out',
  async (kind) => {
    await using installation = await createInstallation();
    const { db } = installation.database;
    const holdfast = await installation.start();
    const idle = await holdfast.createSession({ idleTimeoutSeconds });
    const { id } = await holdfast.createSession({ idleTimeoutSeconds });
    const statusOf = async (session: string) => (await holdfast.request('GET', `/v1/sessions/${session}`)).body.status;
    async function* slowly() {
      yield Buffer.alloc(512);
      // The session without an upload proves that the idle time has passed, twice.
      await eventually(async () => {
        expect(await statusOf(idle.id)).toBe('expired');
        const [row] = await db.sql`
        select from sessions where id = ${id} and created_at < now() - ${2 * idleTimeoutSeconds} * interval '1 second'`;
        expect(row).toBeDefined();
      }, 60_000);
      // The end of an archive is two empty blocks, so this is one.
      yield Buffer.alloc(512);
    }
    const path = kind === 'file' ? 'files/slow' : 'archive?path=.';
    const headers = { 'content-type': kind === 'file' ? 'application/octet-stream' : 'application/x-tar' };
    const { status } = await filesClient(holdfast, id).ask('PUT', path, { body: slowly(), headers });
    expect([status, await statusOf(id)]).toEqual([kind === 'file' ? 201 : 200, 'active']);
    await eventually(async () => expect(await statusOf(id)).toBe('expired'), 30_000);
  },
  120_000,
);
