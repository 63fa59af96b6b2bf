import { link, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PastStep } from '@holdfast/specs/agent';
import { canRunAgain } from './replay-steps.ts';

type Content = { archive: string | null; steps: readonly PastStep[] };

/** A folder with what a kernel reads when it recovers; see *State* in languages/README.md. */
export async function makeRecoveryFolder(
  tmp: string,
  { archive, steps }: Content,
): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmp, 'holdfast-state-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    if (archive !== null) await link(archive, join(folder, 'archive'));
    const lines = steps.map((step) => `${step.stepId} ${step.status} ${canRunAgain(step) ? 1 : 0}\n`);
    await writeFile(join(folder, 'steps'), lines.join(''));
    for (const [at, { code }] of steps.entries()) await writeFile(join(folder, `code-${at + 1}`), code);
    return { folder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
