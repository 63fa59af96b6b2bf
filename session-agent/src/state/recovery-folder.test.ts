import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRecoveryFolder } from './recovery-folder.ts';

test('an error of a recovery has the words that the kernel left', async () => {
  const tmp = await mkdtemp(join(tmpdir(), 'holdfast-recovery-'));
  try {
    const made = await makeRecoveryFolder(tmp, { archive: null, steps: [] });
    const death = new Error('the kernel is dead');
    expect(await made.explain(death)).toBe(death);
    await writeFile(join(made.folder, 'failure'), 'its end is missing');
    expect(await made.explain(death)).toMatchObject({ message: 'its end is missing', cause: death });
  } finally {
    await rm(tmp, { recursive: true });
  }
});
