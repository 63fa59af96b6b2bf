import type { Holdfast } from '../../data-plane/test/support/start-holdfast.ts';

/** Runs Python and returns the value that it passes to `show`. @throws Error if the step fails */
export async function runAndShow(
  holdfast: Pick<Holdfast, 'runStep'>,
  { id, code }: { id: string; code: string },
): Promise<unknown> {
  const prelude = 'import json\nshow = lambda value: print(json.dumps(value))';
  const step = await holdfast.runStep(id, { code: `${prelude}\n${code}` });
  if (step.status !== 'succeeded') throw new Error(JSON.stringify(step.error ?? step.cause));
  return JSON.parse(step.stdout);
}
