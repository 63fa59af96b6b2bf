import type { Queries } from '../queries.ts';
import { contents, type StoreName } from '../schema/contents.ts';

/** Records an object before its first byte is written, so that the object can always be found and collected. */
export async function insertContent({ orm }: Queries, row: { id: string; store: StoreName }): Promise<void> {
  await orm.insert(contents).values(row);
}
