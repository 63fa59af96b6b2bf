import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newSigningKey } from './agent/signing-keys.ts';
import { Secret } from './secret.ts';

/** Keys that a developer did not configure: made once, and kept in the data directory for its owner alone. */
export async function developmentKeys(dataDir: string): Promise<{ signing: Secret; encryption: Secret }> {
  const folder = join(dataDir, 'keys');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return {
    signing: await keptSecret(join(folder, 'signing.pem'), newSigningKey),
    encryption: await keptSecret(join(folder, 'encryption.key'), () => randomBytes(32).toString('base64')),
  };
}

async function keptSecret(path: string, make: () => string): Promise<Secret> {
  await writeFile(path, make(), { flag: 'wx', mode: 0o600 }).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return new Secret(await readFile(path, 'utf8'));
}
