import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '../../config/secret.ts';
import { newSigningKey } from '../../keys/signing-keys.ts';
import type { Database } from '../../registry/connect.ts';
import { storeDevelopmentKey } from '../../registry/development-keys/store-development-key.ts';

/** Stores `value` under a name, unless the name has a value already. Resolves with the stored value. */
type KeyStore = (name: string, value: string) => Promise<string>;

/** Keys for a developer who configured none. They are created once and stored. */
export async function developmentKeys(store: KeyStore): Promise<{ signing: Secret; encryption: Secret }> {
  return {
    signing: new Secret(await store('signing.pem', newSigningKey())),
    encryption: new Secret(await store('encryption.key', randomBytes(32).toString('base64'))),
  };
}

/** Stores keys in the data directory, readable by its owner only. */
export function fileKeyStore(dataDir: string): KeyStore {
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

/** Stores keys in the registry, which all replicas share. Anyone who can read it can also read everything that the keys protect. */
export const registryKeyStore =
  (db: Database): KeyStore =>
  (name, value) =>
    storeDevelopmentKey(db, { name, value });
