import { and, eq, isNull, ne, sql } from 'drizzle-orm';
import { type NewAuditEntry, recordAudit } from '../audit/record-audit.ts';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type ApiKeyRow, apiKeys } from '../schema/api-keys.ts';
import { hashPrefix } from './find-api-key-by-hash.ts';

/** Adds the configured key unless it exists (a revoked one stays revoked), and revokes the one that was configured before. */
export async function storeConfiguredApiKey(
  { transaction }: Queries,
  key: Pick<ApiKeyRow, 'id' | 'tenant' | 'name' | 'scopes' | 'hash'>,
): Promise<void> {
  const row = { ...key, hashPrefix: hashPrefix(key.hash), isConfigured: true };
  await transaction(async (tx) => {
    const configured = { isConfigured: true };
    const [stored] = await tx.orm
      .insert(apiKeys)
      .values(row)
      .onConflictDoUpdate({ target: apiKeys.hashPrefix, set: configured })
      .returning({ isNew: sql<boolean>`xmax = 0` });
    const revoked = await tx.orm
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(and(eq(apiKeys.isConfigured, true), isNull(apiKeys.revokedAt), ne(apiKeys.hashPrefix, row.hashPrefix)))
      .returning({ id: apiKeys.id, tenant: apiKeys.tenant });
    const { id, name, scopes, tenant } = key;
    if (stored?.isNew) await recordAudit(tx, entryOf({ operation: 'api-key.create', tenant, id, name, scopes }));
    await recordAudit(tx, ...revoked.map((earlier) => entryOf({ operation: 'api-key.revoke', ...earlier })));
  });
}

type Changed = { operation: string; tenant: string } & Pick<ApiKeyRow, 'id'> &
  Partial<Pick<ApiKeyRow, 'name' | 'scopes'>>;

const entryOf = ({ operation, tenant, ...given }: Changed) =>
  ({
    operation,
    tenant,
    arguments: given,
    sessionId: null,
    actor: 'system',
    decision: 'allowed',
  }) satisfies NewAuditEntry;
