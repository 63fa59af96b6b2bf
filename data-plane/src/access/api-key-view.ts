import type { ApiKey } from '@holdfast/specs/public';
import type { storeApiKey } from '../registry/api-keys/store-api-key.ts';

type ApiKeyRow = NonNullable<Awaited<ReturnType<typeof storeApiKey>>>;

/** The public key: everything but the key. Pure. */
export function apiKeyView({ id, tenant, scopes, name, createdAt, revokedAt }: ApiKeyRow): ApiKey {
  return { id, tenant, scopes, name, createdAt: createdAt.toISOString(), revokedAt: revokedAt?.toISOString() ?? null };
}
