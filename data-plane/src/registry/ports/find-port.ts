import { eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type PortRow, ports } from '../schema/ports.ts';

export async function findPort({ orm }: Queries, { id }: { id: string }): Promise<PortRow | null> {
  const [row] = await orm.select().from(ports).where(eq(ports.id, id));
  return row ?? null;
}
