import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation } from '../support/installation.ts';
import { isSaved } from './is-saved.ts';
import { killSandbox } from './kill-sandbox.ts';

const languages = ['python', 'node', 'bash'] as const;
const secret = { python: 'x = "secret"', node: "var x = 'secret'", bash: 'x=secret' };

test('nothing of a session is left on the disk after it is deleted, also if its agent was killed', async () => {
  await using installation = await createInstallation();
  const tmp = join(installation.dataDir, 'tmp');
  await mkdir(tmp);
  const holdfast = await installation.start({ TMPDIR: tmp });
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  for (const language of languages) {
    await holdfast.runStep(id, { code: secret[language], language });
    await eventually(async () => expect(await isSaved(installation, id)).toBe(true), 60_000);
  }
  const { stdout } = await holdfast.runStep(id, { code: 'import tempfile; print(tempfile.gettempdir())' });
  expect(stdout.trim()).toBe(tmp);
  const sandboxes = join(installation.dataDir, 'sandboxes');
  const own = async () => (await readdir(sandboxes, { recursive: true })).filter((name) => name.endsWith('/archive'));
  expect(await own()).toHaveLength(languages.length);
  await killSandbox(holdfast, id);
  await eventually(async () => {
    await holdfast.request('GET', `/v1/sessions/${id}/contexts`);
    expect((await holdfast.request('GET', `/v1/sessions/${id}`)).body).toMatchObject({ status: 'active', epoch: 2 });
  }, 20_000);
  expect((await holdfast.runStep(id, { code: 'print(x)' })).stdout).toBe('secret\n');
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
  await eventually(async () => expect(await readdir(sandboxes)).toEqual([]), 20_000);
  // IPython's folder belongs to all sessions.
  expect((await readdir(tmp)).filter((name) => !name.startsWith('holdfast-ipython-'))).toEqual([]);
}, 120_000);
