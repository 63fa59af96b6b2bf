import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { filesClient } from '../support/files-client.ts';
import { createInstallation } from '../support/installation.ts';

const idleTimeoutSeconds = 2;

test.each(['file', 'archive'])(
  'the slow upload of a %s keeps its session from idling out',
  async (kind) => {
    await using installation = await createInstallation();
    const holdfast = await installation.start();
    const { id } = await holdfast.createSession({ idleTimeoutSeconds });
    const statusOf = async (session: string) => (await holdfast.request('GET', `/v1/sessions/${session}`)).body.status;
    async function* slowly() {
      yield Buffer.alloc(512);
      // A session that is younger than the upload, and has none, idles out first.
      const idle = await holdfast.createSession({ idleTimeoutSeconds });
      await eventually(async () => expect(await statusOf(idle.id)).toBe('expired'), 30_000);
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
