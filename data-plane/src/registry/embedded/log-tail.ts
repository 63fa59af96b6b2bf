import { readFile } from 'node:fs/promises';

/** The last lines of one of Postgres' logs, for an error's text. */
export async function logTail(path: string): Promise<string> {
  const log = await readFile(path, 'utf8').catch(() => '');
  return log.trimEnd().split('\n').slice(-10).join('\n');
}
