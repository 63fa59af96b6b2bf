import type { MigrationConfig } from '../../config/parse-migration-config.ts';
import { purgeAudit } from '../../registry/audit/purge-audit.ts';
import { connectDatabase } from '../../registry/connect.ts';
import { waitForDatabase } from './wait-for-database.ts';

/** The command `purge-audit`: deletes the old entries of the audit log, which the role of the data-plane may not. */
export async function purgeAuditLog({ ownerUrl, auditSeconds }: MigrationConfig): Promise<void> {
  const db = connectDatabase({ url: ownerUrl.reveal(), poolMax: 1 });
  try {
    await waitForDatabase(db);
    const count = await purgeAudit(db, { olderThanSeconds: auditSeconds });
    console.log(`${count} entries of the audit log were deleted`);
  } finally {
    await db.close();
  }
}
