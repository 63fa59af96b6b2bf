import { and, inArray, isNull } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { contents } from '../schema/contents.ts';

/** Deletes the rows of objects that have no hash and whose bytes are deleted. */
export async function deleteContents({ orm }: Queries, { ids }: { ids: readonly string[] }): Promise<void> {
  await orm.delete(contents).where(and(inArray(contents.id, [...ids]), isNull(contents.sha256)));
}
