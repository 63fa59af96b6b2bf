import type { ApiKey, Page } from '@holdfast/specs/public';
import { listApiKeys as listApiKeyRows } from '../registry/api-keys/list-api-keys.ts';
import type { Database } from '../registry/connect.ts';
import type { ApiKeyRow } from '../registry/schema/api-keys.ts';

/** The keys of all tenants, newest first, revoked ones too: `admin` is the operator's scope. */
export async function listApiKeys(
  { db }: { db: Database },
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<Page<ApiKey>> {
  const { items, nextCursor } = await listApiKeyRows(db, { limit, cursor });
  return { items: items.map(apiKeyView), nextCursor };
}

/** The public key: everything but the key. Pure. */
export function apiKeyView({ id, tenant, scopes, name, actor, actorName, createdAt, revokedAt }: ApiKeyRow): ApiKey {
  return {
    id,
    tenant,
    scopes,
    name,
    actor,
    actorName,
    createdAt: createdAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}
