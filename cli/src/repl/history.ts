import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readEnvironment } from '../environment.ts';

export const historyLinesMax = 1000;

const path = () => join(readEnvironment().stateFolder, 'repl-history');

/** The lines of earlier conversations, the latest first. One that cannot be read is none. */
export async function readHistory(): Promise<string[]> {
  const text = await readFile(path(), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean).slice(-historyLinesMax).reverse();
}

/** Stores the lines for the user alone, since code may have secrets in it. A conversation does not end because that fails. */
export async function writeHistory(latestFirst: readonly string[]): Promise<void> {
  const file = path();
  const draft = `${file}.${process.pid}`;
  try {
    await mkdir(readEnvironment().stateFolder, { recursive: true, mode: 0o700 });
    await writeFile(draft, `${latestFirst.toReversed().join('\n')}\n`, { mode: 0o600 });
    await rename(draft, file);
  } catch {
    // A folder that is full or read-only.
  }
}
