import type { ApiKey } from '@holdfast/specs/public';
import type { ApiKeyRow } from '../registry/schema/api-keys.ts';

/** The public key: everything but the key. Pure. */
export function apiKeyView({ id, tenant, scopes, name, createdAt, revokedAt }: ApiKeyRow): ApiKey {
  return { id, tenant, scopes, name, createdAt: createdAt.toISOString(), revokedAt: revokedAt?.toISOString() ?? null };
}
