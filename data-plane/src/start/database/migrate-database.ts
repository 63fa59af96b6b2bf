import { ConfigError } from '../../config/parse-config.ts';
import type { MigrationConfig } from '../../config/parse-migration-config.ts';
import { purgeAudit } from '../../registry/audit/purge-audit.ts';
import { connectDatabase } from '../../registry/connect.ts';
import { UnfitRole } from '../../registry/grant-rights.ts';
import { MissingRights, migrate, NewerSchema } from '../../registry/migrate.ts';
import { waitForDatabase } from './wait-for-database.ts';

/**
 * The command `migrate`: brings the tables up to date under the role that owns them, and lets the role of the data-plane use them. Also deletes old
 * entries of the audit log, of which a long list is left to the next run: a replica waits for this.
 * @throws ConfigError, or the database's error
 */
export async function migrateDatabase({ ownerUrl, program, auditSeconds }: MigrationConfig): Promise<void> {
  const db = connectDatabase({ url: ownerUrl.reveal(), poolMax: 1 });
  try {
    await waitForDatabase(db);
    await migrate(db, { program: program && { name: program.name, password: program.password.reveal() } });
    await purgeAudit(db, { olderThanSeconds: auditSeconds, portionsMax: 10 });
  } catch (error) {
    throw migrationFault(error) ?? error;
  } finally {
    await db.close();
  }
}

/** The fault of an operator that ended a migration, or null. */
export function migrationFault(error: unknown): ConfigError | null {
  if (error instanceof NewerSchema) {
    return new ConfigError([
      `the database ${error.message}: start that version or a later one, or use another DATABASE_URL`,
    ]);
  }
  if (error instanceof MissingRights) {
    return new ConfigError([
      `the database ${error.message}: run the command migrate first, with the role that owns them (see deploy/README.md)`,
    ]);
  }
  if (error instanceof UnfitRole) return new ConfigError([`DATABASE_URL cannot be used: ${error.message}`]);
  return null;
}
