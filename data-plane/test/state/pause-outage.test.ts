import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation } from '../support/installation.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';

/** A value that makes this file when it is saved, and takes two seconds. */
const slow = (file: string) => `
class Slow:
  def __reduce__(self):
    import time
    open(${JSON.stringify(file)}, "w").close()
    time.sleep(2)
    return (int, ())
slow = Slow()`;

test('a session whose pause fails because the database is away goes on as soon as the database is back', async () => {
  await using installation = await createInstallation();
  await using proxy = await startPostgresProxy(installation.database);
  const holdfast = await installation.start({ DATABASE_URL: proxy.url });
  const file = join(installation.dataDir, 'saving');
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: `n = 1${slow(file)}` });
  const pausing = holdfast.request('POST', `/v1/sessions/${id}/pause`, { force: true });
  await eventually(() => access(file));
  proxy.refuse();
  proxy.reset();
  expect(await pausing).toMatchObject({ status: 503, body: { code: 'database-unavailable' } });
  await proxy.accept();
  await eventually(async () => {
    expect(await holdfast.runStep(id, { code: 'n' })).toMatchObject({ results: [{ data: { 'text/plain': '1' } }] });
  }, 20_000);
  expect((await holdfast.request('GET', `/v1/sessions/${id}`)).body).toMatchObject({ status: 'active', epoch: 1 });
}, 120_000);
