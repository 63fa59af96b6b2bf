/** Calls `act` for each item, `atOnce` side by side. The first failure rejects, so `act` catches a failure that concerns one item. */
export async function severalAtOnce<T>(
  { items, atOnce }: { items: readonly T[]; atOnce: number },
  act: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = items.values();
  const actOnSome = async () => {
    for (const item of waiting) await act(item);
  };
  await Promise.all(Array.from({ length: atOnce }, actOnSome));
}
