import { and, eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { sealedKeys } from '../schema/sealed-keys.ts';

/** Stores a sealed key unless its name has one already. Returns the stored one. */
export async function storeSealedKey(
  { orm }: Queries,
  { name, value }: { name: string; value: string },
): Promise<string> {
  await orm.insert(sealedKeys).values({ name, value }).onConflictDoNothing();
  const [stored] = await orm.select({ value: sealedKeys.value }).from(sealedKeys).where(eq(sealedKeys.name, name));
  return stored?.value ?? value;
}

/** Stores the key as it is sealed now, unless another replica was first: `previous` is the value that this one read. */
export async function replaceSealedKey(
  { orm }: Queries,
  { name, previous, value }: { name: string; previous: string; value: string },
): Promise<void> {
  await orm
    .update(sealedKeys)
    .set({ value })
    .where(and(eq(sealedKeys.name, name), eq(sealedKeys.value, previous)));
}
