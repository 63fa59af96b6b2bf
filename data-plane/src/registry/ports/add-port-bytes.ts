import type { Queries } from '../queries.ts';

export type PortBytes = { id: string; received: number; sent: number };

/** Adds to what has passed through ports. */
export async function addPortBytes({ sql }: Queries, passed: readonly PortBytes[]): Promise<void> {
  await sql`
    update ports set received_bytes = received_bytes + passed.received, sent_bytes = sent_bytes + passed.sent
    from jsonb_to_recordset(${JSON.stringify(passed)}::text::jsonb) as passed(id text, received bigint, sent bigint)
    where ports.id = passed.id`;
}
