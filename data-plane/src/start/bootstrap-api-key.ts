import { newId } from '@holdfast/specs/public';
import { addConfiguredApiKey } from '../access/create-api-key.ts';
import { type Config, ConfigError } from '../config/parse-config.ts';
import { countLiveApiKeys } from '../registry/api-keys/count-live-api-keys.ts';
import type { Database } from '../registry/connect.ts';

export const loopback = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/**
 * Creates the first API key if one is configured. Without any key and issuer of tokens only development on loopback may start.
 * @returns whether requests without a key are admitted
 * @throws ConfigError
 */
export async function bootstrapApiKey(config: Config, db: Database): Promise<{ keyless: boolean }> {
  const { apiKey, tenant } = config.bootstrap;
  if (apiKey) {
    await addConfiguredApiKey(db, {
      id: newId('key'),
      key: apiKey.reveal(),
      tenant,
      name: 'bootstrap',
      scopes: ['run', 'host', 'admin'],
    });
  }
  if (config.oidc || (await countLiveApiKeys(db)) > 0) return { keyless: false };
  if (config.env === 'development' && loopback.test(config.http.host)) return { keyless: true };
  throw new ConfigError([
    'HOLDFAST_BOOTSTRAP_API_KEY is required: without an API key or an issuer of tokens Holdfast starts only with HOLDFAST_ENV=development, and only on loopback',
  ]);
}
