import type { PolicyRules } from '@holdfast/specs/public';
import { and, eq, sql } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type PortRow, ports } from '../schema/ports.ts';
import { sessions } from '../schema/sessions.ts';
import { isOpen } from './is-open.ts';

/** A port that is open now, with the tenant and the policy of its session and the time that it has left, by the database's clock. */
export type OpenPort = PortRow & { tenant: string; policy: PolicyRules | null; leftMs: number };

/** All that is open of these ports of sessions: each with an access of its own. */
export async function findOpenPorts(
  { orm }: Queries,
  places: readonly { sessionId: string; port: number }[],
): Promise<OpenPort[]> {
  const asked = sql`select * from jsonb_to_recordset(${JSON.stringify(places)}::text::jsonb) as asked("sessionId" text, port int)`;
  const leftMs = sql<number>`(extract(epoch from ${ports.expiresAt} - now()) * 1000)::float8`;
  const found = await orm
    .select({ row: ports, tenant: sessions.tenant, policy: sessions.policy, leftMs })
    .from(ports)
    .innerJoin(sessions, eq(sessions.id, ports.sessionId))
    .where(and(sql`(${ports.sessionId}, ${ports.port}) in (${asked})`, isOpen));
  return found.map(({ row, ...more }) => ({ ...row, ...more }));
}
