import { readFile } from 'node:fs/promises';
import type { Header } from '../header/describe-run.ts';
import type { Sample } from '../measure/sample.ts';
import { UsageError } from '../run/usage-error.ts';

/** One run: its header and all that it measured. */
export type Run = { header: Header; samples: Sample[] };

/** Reads a file of samples. @throws UsageError if it has none */
export async function readRun(path: string): Promise<Run> {
  const text = await readFile(path, 'utf8').catch((error) => {
    throw new UsageError(error.message);
  });
  const [header, ...samples] = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  if (header?.commit === undefined) throw new UsageError(`${path} does not begin with the header of a run`);
  return { header, samples };
}
