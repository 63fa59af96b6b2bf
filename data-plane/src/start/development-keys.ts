import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '../config/secret.ts';
import { newSigningKey } from '../keys/signing-keys.ts';
import type { Database } from '../registry/connect.ts';
import { storeDevelopmentKey } from '../registry/development-keys/store-development-key.ts';

/** Keeps `value` under a name, or finds what was kept there before. */
type Keep = (name: string, value: string) => Promise<string>;

/** Keys that a developer did not configure: made once, and kept. */
export async function developmentKeys(keep: Keep): Promise<{ signing: Secret; encryption: Secret }> {
  return {
    signing: new Secret(await keep('signing.pem', newSigningKey())),
    encryption: new Secret(await keep('encryption.key', randomBytes(32).toString('base64'))),
  };
}

/** In the data directory, for its owner alone. */
export function keptInFiles(dataDir: string): Keep {
  const folder = join(dataDir, 'keys');
  return async (name, value) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, name);
    await writeFile(path, value, { flag: 'wx', mode: 0o600 }).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
    return await readFile(path, 'utf8');
  };
}

/** In the registry, which is all that replicas share. Whoever reads it can read what the keys protect. */
export const keptInRegistry =
  (db: Database): Keep =>
  (name, value) =>
    storeDevelopmentKey(db, { name, value });
