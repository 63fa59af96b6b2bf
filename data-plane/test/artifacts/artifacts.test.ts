import { createHash } from 'node:crypto';
import type { Artifact, Step, StepEvent } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { client, type Holdfast } from '../support/start-holdfast.ts';

const mebibyte = 1024 * 1024;
const adminKey = 'holdfast-artifacts-test-key-0001';

let installation: Installation;
let holdfast: Holdfast;
let api: ReturnType<typeof client>;
/** A session for tests whose files do not disturb each other. */
let id: string;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start({
    HOLDFAST_BOOTSTRAP_API_KEY: adminKey,
    HOLDFAST_KEPT_FILE_BYTES_MAX: String(8 * mebibyte),
    HOLDFAST_KEPT_STEP_BYTES_MAX: String(9 * mebibyte),
  });
  api = client(holdfast.url, { 'x-api-key': adminKey });
  id = (await api.createSession()).id;
});

afterAll(() => installation[Symbol.asyncDispose]());

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const fetched = async (url: string | null | undefined, headers: Record<string, string> = { 'x-api-key': adminKey }) => {
  const response = await fetch(`${holdfast.url}${url}`, { headers });
  return { status: response.status, text: await response.text(), headers: response.headers };
};
const named = (step: Step) => step.artifacts.map(({ path, change, omission }) => [path, change, omission]);

test('a step lists the files that it created, changed and deleted, with URLs of their contents', async () => {
  const { id } = await api.createSession();
  const setUp = await api.runStep(id, {
    code: 'open("data.csv", "w").write("a,b\\n"); open("old.txt", "w").write("old")',
  });
  expect(named(setUp)).toEqual([
    ['data.csv', 'created', null],
    ['old.txt', 'created', null],
  ]);
  const code = `
import os
os.mkdir("plots")
open("plots/plot.png", "wb").write(b"\\x89PNG\\r\\n")
open("data.csv", "a").write("1,2\\n")
os.remove("old.txt")`;
  const step = await api.runStep(id, { code });
  expect(step.artifacts).toMatchObject([
    {
      path: 'data.csv',
      change: 'modified',
      size: 8,
      sha256: sha256('a,b\n1,2\n'),
      mimeType: 'text/csv; charset=utf-8',
    },
    { path: 'old.txt', change: 'deleted', size: null, sha256: null, url: null, omission: null },
    { path: 'plots/plot.png', change: 'created', size: 6, mimeType: 'image/png', concurrent: false },
  ]);
  const [csv, , png] = step.artifacts;
  expect(await fetched(csv?.url)).toMatchObject({ status: 200, text: 'a,b\n1,2\n' });
  expect((await fetched(png?.url)).headers.get('content-type')).toBe('image/png');
  const list = await api.request('GET', `/v1/sessions/${id}/artifacts?stepId=${step.id}`);
  expect(list.body).toEqual({ items: expect.arrayContaining(step.artifacts), nextCursor: null });
  expect((await api.request('GET', `/v1/sessions/${id}/artifacts/${csv?.id}`)).body).toEqual(csv);
  const pages = await api.request('GET', `/v1/sessions/${id}/artifacts?limit=2`);
  const rest = await api.request('GET', `/v1/sessions/${id}/artifacts?limit=10&cursor=${pages.body.nextCursor}`);
  expect([...pages.body.items, ...rest.body.items].map((artifact: Artifact) => artifact.stepId)).toEqual([
    setUp.id,
    setUp.id,
    step.id,
    step.id,
    step.id,
  ]);
});

test('artifacts are announced before the end without a gap in seq, and a replay is the same', async () => {
  const events: StepEvent[] = [];
  for await (const event of api.streamStep(id, { code: 'print("x"); open("a", "w").close(); open("b", "w").close()' }))
    events.push(event);
  const types = events.map(({ type }) => type).filter((type) => type !== 'queued');
  expect(types).toEqual(['started', 'stdout', 'artifact', 'artifact', 'finished']);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const replayed: StepEvent[] = [];
  for await (const event of api.followStep(id, events[0]?.stepId ?? '')) replayed.push(event);
  expect(replayed).toEqual(events);
  const last = events.at(-1);
  const announced = events.flatMap((event) => (event.type === 'artifact' ? [[event.path, event.url, event.time]] : []));
  if (last?.type !== 'finished') throw new Error('the last event is not the end');
  expect(last.step.artifacts.map(({ path, url, createdAt }) => [path, url, createdAt])).toEqual(announced);
});

test('a step that changes nothing has no artifacts, and a step that fails has those of its changes', async () => {
  expect((await api.runStep(id, { code: '1 + 1' })).artifacts).toEqual([]);
  const failed = await api.runStep(id, { code: 'open("left", "w").write("behind"); 1 / 0' });
  expect([failed.status, named(failed)]).toEqual(['failed', [['left', 'created', null]]]);
});

test('a change during overlapping steps of two contexts is reported by both, as concurrent', async () => {
  const { id } = await api.createSession();
  const other = (await api.request('POST', `/v1/sessions/${id}/contexts`, { language: 'python' })).body.id;
  await Promise.all([api.runStep(id, { code: '1' }), api.runStep(id, { code: '1', contextId: other })]);
  const waits = (seen: string, made: string) => `
import os, time
open("${made}", "w").write("${made}")
while not os.path.exists("${seen}"): time.sleep(0.005)`;
  const steps = await Promise.all([
    api.runStep(id, { code: waits('two', 'one') }),
    api.runStep(id, { code: waits('one', 'two'), contextId: other }),
  ]);
  const all = steps.flatMap(({ artifacts }) => artifacts);
  expect(all.filter(({ concurrent }) => concurrent).map(({ path }) => path)).toEqual(
    expect.arrayContaining(['one', 'two']),
  );
  for (const { artifacts } of steps)
    expect(artifacts.map(({ path }) => path)).toEqual(expect.arrayContaining(['one', 'two']));
});

test('files beyond the limits for a file and for a step are listed with the reason', async () => {
  const code = `
for name, size in [("a.bin", 6), ("b.bin", 9), ("c.bin", 4)]:
    with open(name, "wb") as file: file.truncate(size * 1024 * 1024)`;
  const step = await api.runStep(id, { code });
  expect(named(step)).toEqual([
    ['a.bin', 'created', null],
    ['b.bin', 'created', 'too-large'],
    ['c.bin', 'created', 'step-limit'],
  ]);
  const large = step.artifacts[1] as Artifact;
  expect(large).toMatchObject({ url: null, size: null, sha256: null });
  const omitted = await fetched(`/v1/sessions/${id}/artifacts/${large.id}/content`);
  expect([omitted.status, JSON.parse(omitted.text).detail]).toEqual([404, 'b.bin was not stored: too-large']);
});

test('a file that keeps changing is not stored in a state that it never had', async () => {
  const { id } = await api.createSession();
  const code = `
import threading
file = open("busy.bin", "wb", buffering=0)
file.truncate(1024 * 1024)
def write():
    while True:
        file.seek(0)
        file.write(b"x" * 4096)
threading.Thread(target=write, daemon=True).start()`;
  const step = await api.runStep(id, { code });
  expect(named(step)).toEqual([['busy.bin', 'created', 'changing']]);
});

test('links and pipes are listed, and the files behind links are not read', async () => {
  const code = 'import os; os.symlink("/etc/passwd", "link"); os.mkfifo("pipe"); open("file", "w").close()';
  const step = await api.runStep(id, { code });
  expect(named(step)).toEqual([
    ['file', 'created', null],
    ['link', 'created', 'not-a-file'],
    ['pipe', 'created', 'not-a-file'],
  ]);
});

test('artifacts outlive the sandbox until the session is deleted, and other tenants cannot read them', async () => {
  const { id } = await api.createSession();
  const step = await api.runStep(id, { code: 'open("made.txt", "w").write("made")' });
  const url = step.artifacts[0]?.url;
  const signed = (await api.request('GET', `/v1/sessions/${id}/artifacts?signedSeconds=600`)).body.items[0].url;
  const { body: stranger } = await api.request('POST', '/v1/api-keys', { tenant: 'stranger', scopes: ['run'] });
  await api.request('POST', `/v1/sessions/${id}/complete`);
  await eventually(async () => {
    const [row] = await installation.database.db.sql`select sandbox_gone_at from sessions where id = ${id}`;
    expect(row?.sandbox_gone_at).not.toBeNull();
  });
  expect(await fetched(url)).toMatchObject({ status: 200, text: 'made' });
  expect(await fetched(signed, {})).toMatchObject({ status: 200, text: 'made' });
  expect((await api.request('GET', `/v1/sessions/${id}/steps/${step.id}`)).body.artifacts).toEqual(step.artifacts);
  const strange = { 'x-api-key': stranger.key };
  for (const path of [url, `/v1/sessions/${id}/artifacts`, `/v1/sessions/${id}/artifacts/${step.artifacts[0]?.id}`]) {
    expect((await fetched(path, strange)).status, String(path)).toBe(404);
  }
  expect((await fetched(url, {})).status).toBe(401);
  expect([202, 204]).toContain((await api.request('DELETE', `/v1/sessions/${id}`)).status);
  for (const path of [url, `/v1/sessions/${id}/artifacts`]) expect((await fetched(path)).status).toBe(410);
  expect((await fetched(signed, {})).status).toBe(410);
  await eventually(async () =>
    expect(await installation.database.db.sql`select from sessions where id = ${id}`).toHaveLength(0),
  );
  expect((await fetched(url)).status).toBe(410);
  expect((await fetched(signed, {})).status).toBe(410);
  expect((await fetched(url, strange)).status).toBe(404);
});

test('a step in a workspace of 50,000 files reports only the files that it wrote', async () => {
  const { id } = await api.createSession();
  const many = `
import os
for directory in range(100):
    os.mkdir(f"d{directory}")
    for name in range(500): os.close(os.open(f"d{directory}/{name}.txt", os.O_CREAT | os.O_WRONLY))
open("data.csv", "w").write("a,b\\n")`;
  const crowded = await api.runStep(id, { code: many, timeoutSeconds: 120 });
  expect(crowded.artifacts.at(-1)).toMatchObject({ path: '', omission: 'too-many' });
  expect(crowded.artifacts.length).toBeLessThanOrEqual(2001);
  const step = await api.runStep(id, {
    code: 'open("plot.png", "w").write("png"); open("data.csv", "a").write("1,2\\n")',
  });
  expect(named(step)).toEqual([
    ['data.csv', 'modified', null],
    ['plot.png', 'created', null],
  ]);
}, 180_000);
