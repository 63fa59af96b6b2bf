import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import { workspaceOf } from '../support/files-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { type GovernedSession, governed, governedSession, proposing } from './governed-session.ts';

let installation: Installation;
let holdfast: Holdfast;
let db: Database;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
  db = installation.database.db;
}, 120_000);
afterAll(() => installation[Symbol.asyncDispose](), 120_000);

const session = (body: object = {}) => governedSession({ installation, holdfast, db }, { policy: proposing, ...body });

/** The mode of the file `f` in a session's working copy, in octal digits. */
function modeOf({ id }: Pick<GovernedSession, 'id'>, epoch = 1): string {
  const { mode } = lstatSync(join(workspaceOf(installation.dataDir, id, epoch), 'f'));
  return (mode & 0o7777).toString(8).padStart(4, '0');
}

const chmod = (path: string, mode: string) => `import os; os.chmod(${JSON.stringify(path)}, 0o${mode})`;

const proposalOf = (step: { proposals: readonly { id: string }[] }): string => step.proposals[0]?.id ?? '';

/** A session whose world has a file of this mode. */
async function withFile(mode: string) {
  const one = await session();
  const made = await one.run(`open("f", "w").write("old"); ${chmod('f', mode)}`);
  await one.commit(proposalOf(made));
  return one;
}

test.each(['0600', '0640', '0444', '0751', '0000'])(
  'a rejection gives a file back the mode %s and its bytes, whatever code has done to it',
  async (mode) => {
    const one = await withFile(mode);
    for (const code of [
      chmod('f', '777'),
      `os.chmod("f", 0o666); open("f", "w").write("new"); os.chmod("f", 0o604)`,
      'os.remove("f")',
      'os.remove("f"); os.mkdir("f", 0o700)',
      'os.umask(0); os.remove("f"); open("f", "w").write("old")',
    ]) {
      const ran = await one.run(`import os\n${code}`);
      expect([ran.error, ran.outcome]).toEqual([null, { tag: 'proposed' }]);
      expect((await one.reject(proposalOf(ran))).status).toBe(200);
      expect([modeOf(one), one.workingCopy().f]).toEqual([mode, (await one.world()).f]);
    }
  },
);

test('a change of the mode alone is a proposal, whose commit carries the mode into the world and each new sandbox', async () => {
  const one = await withFile('0644');
  const ran = await one.run(chmod('f', '640'));
  const { changes } = await one.read(proposalOf(ran));
  expect(changes).toMatchObject([
    { path: 'f', change: 'modified', before: { mode: '0644' }, after: { mode: '0640', executable: false } },
  ]);
  expect(changes[0]?.diff).toBe('diff --git a/f b/f\nold mode 100644\nnew mode 100640\n');
  const fork = (await holdfast.request('POST', `/v1/sessions/${one.id}/fork`, {})).body.items[0].id;
  await one.commit(proposalOf(ran));
  expect((await one.run('pass')).proposals).toEqual([]);
  await holdfast.request('POST', `/v1/sessions/${one.id}/pause`);
  await holdfast.request('POST', `/v1/sessions/${one.id}/resume`);
  await one.run('pass');
  expect(modeOf(one, 2)).toBe('0640');
  const other = governed({ installation, holdfast, db }, fork);
  await other.run('pass');
  expect(modeOf(other)).toBe('0640');
  const [copy = ''] = await other.open();
  await other.reject(copy);
  expect(modeOf(other)).toBe('0644');
}, 120_000);

test('a rule puts a mode back', async () => {
  const { id } = await holdfast.createSession({});
  const free = governed({ installation, holdfast, db }, id);
  await free.run(`open("f", "w").write("x"); ${chmod('f', '604')}`);
  await holdfast.request('PATCH', `/v1/sessions/${id}`, { policy: { world: { readOnly: true } } });
  const ran = await free.run(chmod('f', '777'));
  expect(ran.artifacts).toMatchObject([{ path: 'f', omission: 'refused', rule: 'world.readOnly' }]);
  expect(modeOf(free)).toBe('0604');
});

test('set-user-id, set-group-id and sticky are not kept', async () => {
  const one = await withFile('4755');
  expect(modeOf(one)).toBe('4755');
  const ran = await one.run('open("f", "w").write("new")');
  await one.reject(proposalOf(ran));
  expect(modeOf(one)).toBe('0755');
});

test('directories that code closes to everyone hide no change from a rejection, and nothing of them is deleted', async () => {
  const one = await session();
  await one.commit(proposalOf(await one.run('import os; os.makedirs("d/e"); open("d/e/f", "w").write("old")')));
  const ran = await one.run('open("d/e/f", "w").write("new"); os.mkdir("d/g"); os.chmod("d/e", 0); os.chmod("d", 0)');
  expect(ran.error).toBe(null);
  if (ran.proposals.length > 0) await one.reject(proposalOf(ran));
  await one.run('os.chmod("d", 0o755); os.chmod("d/e", 0o755)');
  for (const id of await one.open()) await one.reject(id);
  expect(Object.keys(await one.world())).toEqual(['d/e/f']);
  expect(one.workingCopy()['d/e/f']).toBe((await one.world())['d/e/f']);
});
