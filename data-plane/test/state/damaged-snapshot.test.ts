import type { Snapshot } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { type Language, languages, programs } from '../support/state/state-programs.ts';
import { pythonWithCloudpickle } from './python-with-cloudpickle.ts';

let installation: Installation;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start({ HOLDFAST_PYTHON: await pythonWithCloudpickle(installation.dataDir) });
}, 120_000);

afterAll(() => installation[Symbol.asyncDispose]());

/** A session without recovery whose program has gone on since its snapshot. */
async function changedSession(language: Language): Promise<{ id: string; snapshot: Snapshot }> {
  const { id } = await holdfast.createSession({ language });
  await holdfast.runStep(id, { code: programs[language].start });
  const { body: snapshot } = await holdfast.request('POST', `/v1/sessions/${id}/snapshots`);
  await holdfast.runStep(id, { code: programs[language].change });
  return { id, snapshot };
}

const pieceOf = ({ sha256 }: Snapshot) => installation.database.db.sql`
  select content_id as id from content_pieces p join contents c on c.id = p.content_id where c.sha256 = decode(${sha256}, 'hex') and number = 0`;

const damages: Record<string, (snapshot: Snapshot) => Promise<unknown>> = {
  'was changed in one byte': async (snapshot) => {
    const [piece] = await pieceOf(snapshot);
    return installation.database.db.sql`
      update content_pieces set bytes = set_byte(bytes, 40, get_byte(bytes, 40) # 1) where content_id = ${piece?.id} and number = 0`;
  },
  'lost its end': async (snapshot) => {
    const [piece] = await pieceOf(snapshot);
    return installation.database.db.sql`
      update content_pieces set bytes = substring(bytes from 1 for length(bytes) - 20) where content_id = ${piece?.id} and number = 0`;
  },
};

const cases = languages.flatMap((language) => Object.keys(damages).map((how) => [language, how] as const));

test.each(cases)('a %s snapshot that %s is refused, and the context keeps its state', async (language, how) => {
  const { id, snapshot } = await changedSession(language);
  await damages[how]?.(snapshot);
  const restored = await holdfast.request('POST', `/v1/sessions/${id}/restore`, { snapshotId: snapshot.id });
  expect(restored).toMatchObject({ status: 422, body: { code: 'snapshot-refused' } });
  const forked = await holdfast.request('POST', '/v1/sessions', { language, fromSnapshot: snapshot.id });
  expect(forked.status).toBeGreaterThanOrEqual(400);
  const { stdout, contextEpoch } = await holdfast.runStep(id, { code: programs[language].show });
  expect([stdout.trim(), contextEpoch]).toEqual([programs[language].truth(2), 1]);
});

test("another tenant's snapshot is refused, and the context keeps its state", async () => {
  const [own, foreign] = await Promise.all([changedSession('python'), changedSession('python')]);
  await installation.database.db.sql`update sessions set tenant = 'another' where id = ${foreign.id}`;
  const refused = { status: 422, body: { code: 'snapshot-refused' } };
  const snapshotId = foreign.snapshot.id;
  expect(await holdfast.request('POST', `/v1/sessions/${own.id}/restore`, { snapshotId })).toMatchObject(refused);
  expect(await holdfast.request('POST', '/v1/sessions', { fromSnapshot: snapshotId })).toMatchObject(refused);
  expect((await holdfast.runStep(own.id, { code: 'n' })).results[0]?.data['text/plain']).toBe('2');
});
