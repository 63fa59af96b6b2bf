import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readEnvironment } from '../environment.ts';
import { Failure } from '../failures/failure.ts';
import { replaceFile } from '../files/replace-file.ts';
import { withLock } from '../files/with-lock.ts';

export type StoredServer = { url: string; apiKey?: string | undefined };

/** `current` is the one that commands use if they name none. */
export type StoredServers = { current?: string | undefined; servers: Record<string, StoredServer> };

export const storedServersPath = () => join(readEnvironment().configFolder, 'config.yaml');

/**
 * The servers that the person has stored.
 * @throws Failure if the file cannot be understood
 */
export async function readStoredServers(): Promise<StoredServers> {
  const path = storedServersPath();
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { servers: {} };
    throw error;
  }
  const content = await parsed(path, text);
  if (!isStoredServers(content)) {
    throw new Failure(`${path} is not as expected: it has \`current\`, and \`servers\` with a \`url\` each`);
  }
  return { ...content, servers: content.servers ?? {} };
}

/** Changes what is stored, one command after the other. The file is written as a whole, for this user alone, since it has keys. */
export async function changeStoredServers(change: (stored: StoredServers) => StoredServers): Promise<void> {
  const { stringify } = await import('../yaml.ts');
  const path = storedServersPath();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await withLock(`${path}.lock`, async () => {
    const text = stringify(change(await readStoredServers()));
    await replaceFile(path, (draft) => writeFile(draft, text, { mode: 0o600 }), 0o600);
  });
}

/** Most calls have no file to read, and none of them shall wait for a parser that it does not need. */
async function parsed(path: string, text: string): Promise<unknown> {
  const { parse } = await import('../yaml.ts');
  try {
    return parse(text) ?? {};
  } catch (cause) {
    throw new Failure(`${path} is not YAML: ${(cause as Error).message.split('\n')[0]}`, { cause });
  }
}

function isStoredServers(value: unknown): value is Partial<StoredServers> {
  if (typeof value !== 'object' || value === null) return false;
  const { current, servers } = value as Record<string, unknown>;
  if (current !== undefined && typeof current !== 'string') return false;
  if (servers === undefined) return true;
  return typeof servers === 'object' && servers !== null && Object.values(servers).every(isStoredServer);
}

const isStoredServer = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  'url' in value &&
  typeof value.url === 'string' &&
  (!('apiKey' in value) || typeof value.apiKey === 'string');
