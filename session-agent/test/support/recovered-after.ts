import type { RecoveryReport } from '@holdfast/specs/public';
import { type OpenKernel, openKernel } from './open-kernel.ts';
import { recoverState, saveState } from './state.ts';

/** Runs `before` in a Python kernel, saves it, and recovers another kernel with the later steps, which all ended well. */
export async function recoveredAfter(
  before: string,
  ...later: string[]
): Promise<{ kernel: OpenKernel; report: RecoveryReport; lost: string[] }> {
  await using saved = await openKernel('python');
  const { error } = await saved.run(before);
  if (error) throw new Error(`${error.name}: ${error.message}`);
  const archive = await saveState(saved.kernel);
  const kernel = await openKernel('python');
  const report = await recoverState(kernel.kernel, { archive, steps: later.map((code) => ({ code })) });
  return { kernel, report, lost: report.lost.map(({ name }) => name).sort() };
}
