import { and, inArray, isNull } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { contents } from '../schema/contents.ts';

/** Forgets objects without a name, whose bytes are gone. */
export async function deleteContents({ orm }: Queries, { ids }: { ids: readonly string[] }): Promise<void> {
  await orm.delete(contents).where(and(inArray(contents.id, [...ids]), isNull(contents.sha256)));
}
