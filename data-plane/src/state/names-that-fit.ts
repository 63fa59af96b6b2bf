/** Counts characters, and leaves out items beyond them. `omitted` says how many. */
export function createNamesThatFit({ charactersMax }: { charactersMax: number }) {
  let room = charactersMax;
  let omitted = 0;
  return {
    /** The first items, until the room is used up. */
    fit<Item>(items: readonly Item[]): Item[] {
      const kept: Item[] = [];
      for (const item of items) {
        room -= JSON.stringify(item).length + 1;
        if (room < 0) break;
        kept.push(item);
      }
      omitted += items.length - kept.length;
      return kept;
    },
    get omitted(): number {
      return omitted;
    },
  };
}
