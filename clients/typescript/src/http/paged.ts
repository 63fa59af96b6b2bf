type Page<Item> = { items: Item[]; nextCursor?: string | null };

/** The items of all pages, each page read when the one before it is used up. */
export async function* paged<Item>(
  readPage: (cursor: { cursor?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | null | undefined;
  do {
    const page: Page<Item> = await readPage(cursor ? { cursor } : {});
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor);
}
