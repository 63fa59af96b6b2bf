/** Does `act` for each of the items, so many side by side. The first failure rejects; what fails for one item alone is for `act` to catch. */
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
