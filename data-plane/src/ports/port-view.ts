import type { Port } from '@holdfast/specs/public';
import type { PortRow } from '../registry/schema/ports.ts';

/** The public port: everything but its token. Pure. */
export const portView = ({ createdAt, expiresAt, revokedAt, ...port }: PortRow, url: string): Port => ({
  ...port,
  url,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
  revokedAt: revokedAt?.toISOString() ?? null,
});
