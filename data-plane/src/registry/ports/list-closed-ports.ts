import { and, inArray } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { ports } from '../schema/ports.ts';
import { isOpen } from './is-open.ts';

/** Those of the given ports that are not open any more. */
export async function listClosedPorts({ orm }: Queries, { ids }: { ids: readonly string[] }): Promise<string[]> {
  if (ids.length === 0) return [];
  const found = await orm
    .select({ id: ports.id })
    .from(ports)
    .where(and(inArray(ports.id, [...ids]), isOpen));
  const open = new Set(found.map(({ id }) => id));
  return ids.filter((id) => !open.has(id));
}
