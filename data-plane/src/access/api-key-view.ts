import type { ApiKey } from '@holdfast/specs';
import type { storeApiKey } from '../registry/store-api-key.ts';

type ApiKeyRow = NonNullable<Awaited<ReturnType<typeof storeApiKey>>>;

/** The public key: everything but the key. Pure. */
export function apiKeyView({ id, tenant, scopes, name, createdAt, revokedAt }: ApiKeyRow): ApiKey {
  return { id, tenant, scopes, name, createdAt: createdAt.toISOString(), revokedAt: revokedAt?.toISOString() ?? null };
}
