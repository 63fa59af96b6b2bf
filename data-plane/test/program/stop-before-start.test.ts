import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { removeDataDir } from '../support/remove-data-dir.ts';
import { nothingRunsIn, startHoldfast, temporaryDataDir } from '../support/start-holdfast.ts';

let database: TestDatabase;
const dataDirs: Awaited<ReturnType<typeof temporaryDataDir>>[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(async () => {
  for (const { path } of dataDirs.splice(0)) await removeDataDir(path);
  await database.drop();
});

async function env(more: Record<string, string> = {}): Promise<Record<string, string>> {
  const dataDir = await temporaryDataDir();
  dataDirs.push(dataDir);
  return { HOLDFAST_DATA_DIR: dataDir.path, DATABASE_URL: database.url, ...more };
}

test('a second data-plane on the same database does not start, and harms no session of the first', async () => {
  const first = await startHoldfast(await env());
  const { id } = await first.createSession();
  await expect(startHoldfast(await env())).rejects.toThrow(
    new RegExp(`exited with 78[\\s\\S]*DATABASE_URL is in use by the data-plane \\S+:${dataDirs[0]?.path}`),
  );
  expect((await first.runStep(id, { code: '1' })).status).toBe('succeeded');
  await first.stop();
  await nothingRunsIn(dataDirs[0]?.path as string);
  const after = await startHoldfast(await env());
  await after.stop();
}, 40_000);

test('names an occupied port in one line', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const refused = startHoldfast(await env({ HOLDFAST_PORT: String(port) }));
  await expect(refused).rejects.toThrow(
    new RegExp(
      `exited with 1:[\\s\\S]*\\nholdfast: port ${port} on 127.0.0.1 is already in use; set HOLDFAST_PORT to choose another$`,
    ),
  );
  server.close();
}, 40_000);
