import { join } from 'node:path';
import type { StepEvent } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { lostIn, stateClient } from '../support/state/state-client.ts';
import { agentOf } from './kill-sandbox.ts';

let installation: Installation;
let holdfast: Holdfast;
let client: ReturnType<typeof stateClient>;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
  client = stateClient(holdfast);
}, 120_000);
afterAll(() => installation[Symbol.asyncDispose]());

/** The session, active again in whichever of its sandboxes. */
const recovered = (id: string) =>
  eventually(async () => {
    await holdfast.request('GET', `/v1/sessions/${id}/contexts`);
    const session = await client.read(id);
    expect(session.epoch).toBeGreaterThan(1);
    expect(session.status).toBe('active');
    return session;
  }, 60_000);

test('a session whose snapshot is damaged loses the state of that context alone, and says so', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto', language: 'bash' });
  await client.run(id, 'python', 'x = 1');
  await client.run(id, 'bash', 'y=2');
  await client.saved(id, { language: 'python', name: 'x' });
  await client.saved(id, { language: 'bash', name: 'y' });
  const agent = await agentOf(holdfast, id, 'bash');
  const damaged = await installation.database.db.sql`
    update content_pieces set bytes = set_byte(bytes, 40, get_byte(bytes, 40) # 1)
    where number = 0 and content_id in (
      select c.id from contents c join snapshots s on s.sha256 = c.sha256
      where s.session_id = ${id} and s.context_id = 'python')`;
  expect(damaged.count).toBe(1);
  process.kill(agent, 'SIGKILL');
  expect(lostIn(await recovered(id))).toEqual(['*']);
  const events: StepEvent[] = [];
  for await (const event of holdfast.streamStep(id, { language: 'python', code: '1' })) events.push(event);
  const reset = events.find(({ type }) => type === 'state_reset');
  expect(reset).toMatchObject({ lost: ['*'], reasons: [expect.stringContaining('could not be loaded')] });
  expect((await client.run(id, 'bash', 'echo $y')).stdout.trim()).toBe('2');
}, 180_000);

test('a step that may run again, but ends its kernel then, loses only what it made', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  await client.run(id, 'python', 'x = 1');
  expect(await client.post(id, '/snapshots')).toMatchObject({ status: 201 });
  const file = JSON.stringify(join(installation.dataDir, 'ran'));
  const code = `import os\nif os.path.exists(${file}): os._exit(1)\nopen(${file}, "w").close()\nmade = os.times()`;
  const agent = await agentOf(holdfast, id);
  expect(await holdfast.runStep(id, { code, replay: true })).toMatchObject({ status: 'succeeded' });
  process.kill(agent, 'SIGKILL');
  expect(lostIn(await recovered(id))).toContain('made');
  expect((await client.run(id, 'python', 'print(x)')).stdout.trim()).toBe('1');
}, 120_000);
