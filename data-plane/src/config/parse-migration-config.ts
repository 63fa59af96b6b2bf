import { z } from 'zod';
import { ConfigError, faultTexts } from './parse-config.ts';
import { Secret } from './secret.ts';
import { settings } from './settings.ts';

export type MigrationConfig = {
  /** For the role that owns the tables. */
  ownerUrl: Secret;
  /** The role of the data-plane, if it is another one. */
  program: { name: string; password: Secret } | null;
  auditSeconds: number;
};

const { DATABASE_URL, HOLDFAST_MIGRATION_DATABASE_URL, HOLDFAST_AUDIT_RETENTION_SECONDS } = settings;

/**
 * The configuration of the commands `migrate` and `purge-audit`: the two URLs and the retention, and no other variable of the data-plane.
 * @throws ConfigError
 */
export function parseMigrationConfig(env: Record<string, string | undefined>): MigrationConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = z
    .object({ DATABASE_URL, HOLDFAST_MIGRATION_DATABASE_URL, HOLDFAST_AUDIT_RETENTION_SECONDS })
    .safeParse(given);
  if (!parsed.success) throw new ConfigError(parsed.error.issues.flatMap(faultTexts));
  const {
    DATABASE_URL: own,
    HOLDFAST_MIGRATION_DATABASE_URL: owner,
    HOLDFAST_AUDIT_RETENTION_SECONDS: auditSeconds,
  } = parsed.data;
  if (!own) throw new ConfigError(['DATABASE_URL is required']);
  if (!owner) return { ownerUrl: own, program: null, auditSeconds };
  const { username, password } = new URL(own.reveal());
  if (!username) throw new ConfigError(['DATABASE_URL must name a user, the role of the data-plane']);
  const program = { name: decodeURIComponent(username), password: new Secret(decodeURIComponent(password)) };
  return { ownerUrl: owner, program, auditSeconds };
}
