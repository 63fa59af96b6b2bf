import * as z from 'zod';

/** An opaque position in a list. */
const cursorSchema = z.string().regex(/^[A-Za-z0-9_-]{1,512}$/, 'must be a nextCursor of an earlier page');

export const pageQuerySchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: cursorSchema.optional(),
});

/** From the first to the last, or from the last to the first. */
export const listOrders = ['asc', 'desc'] as const;
export type ListOrder = (typeof listOrders)[number];

export const page = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });

export type Page<Item> = { items: Item[]; nextCursor: string | null };
