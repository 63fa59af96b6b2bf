import type { PolicyRules } from '@holdfast/specs/public';
import { and, eq, sql } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type PortRow, ports } from '../schema/ports.ts';
import { sessions } from '../schema/sessions.ts';
import { isOpen } from './is-open.ts';

/** A port that is open now, with the tenant and the policy of its session and the time that it has left, by the database's clock. */
export type OpenPort = PortRow & { tenant: string; policy: PolicyRules | null; leftMs: number };

/** All that is open of one port of a session: each with an access of its own. */
export async function findOpenPorts(
  { orm }: Queries,
  { sessionId, port }: { sessionId: string; port: number },
): Promise<OpenPort[]> {
  const leftMs = sql<number>`(extract(epoch from ${ports.expiresAt} - now()) * 1000)::float8`;
  const found = await orm
    .select({ row: ports, tenant: sessions.tenant, policy: sessions.policy, leftMs })
    .from(ports)
    .innerJoin(sessions, eq(sessions.id, ports.sessionId))
    .where(and(eq(ports.sessionId, sessionId), eq(ports.port, port), isOpen));
  return found.map(({ row, ...more }) => ({ ...row, ...more }));
}
