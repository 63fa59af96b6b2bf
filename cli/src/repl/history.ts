import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readEnvironment } from '../environment.ts';
import { replaceFile } from '../files/replace-file.ts';
import { withLock } from '../files/with-lock.ts';

export const historyLinesMax = 1000;

/** A file with more lines is shortened. */
const fileLinesMax = 2 * historyLinesMax;

const path = () => join(readEnvironment().stateFolder, 'repl-history');

/** The lines of earlier conversations, the latest first, each once. If they cannot be read, there are none. */
export async function readHistory(): Promise<string[]> {
  const file = path();
  try {
    let lines = await readLines(file);
    if (lines.length > fileLinesMax) {
      lines = await withLock(`${file}.lock`, async () => {
        const latest = (await readLines(file)).slice(-historyLinesMax);
        await replaceFile(file, (draft) => writeFile(draft, textOf(latest), { mode: 0o600 }));
        return latest;
      });
    }
    return [...new Set(lines.reverse())].slice(0, historyLinesMax);
  } catch {
    return [];
  }
}

/**
 * Adds lines to the history as they are given. Other conversations add to it, too. It is for the user alone, since code may have secrets in it. A
 * conversation does not end because that fails.
 */
export function createHistoryWriter(): (line: string) => void {
  let waiting: string[] = [];
  let turn = Promise.resolve();
  const add = async () => {
    const lines = waiting;
    waiting = [];
    if (lines.length === 0) return;
    const file = path();
    await mkdir(readEnvironment().stateFolder, { recursive: true, mode: 0o700 });
    await withLock(`${file}.lock`, () => appendFile(file, textOf(lines), { mode: 0o600 }));
  };
  return (line) => {
    waiting.push(line);
    // A folder that is full or read-only.
    turn = turn.then(add).catch(() => {});
  };
}

const readLines = async (file: string) => (await readFile(file, 'utf8')).split('\n').filter(Boolean);

const textOf = (lines: string[]) => lines.map((line) => `${line}\n`).join('');
