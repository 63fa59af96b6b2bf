/** Remembers the `max` ids that were added last. */
export function createRecentIds(max: number): { add: (id: string) => void; has: (id: string) => boolean } {
  const ids = new Set<string>();
  return {
    add(id) {
      ids.delete(id);
      ids.add(id);
      if (ids.size <= max) return;
      // A set lists its members in the order in which they were added.
      for (const oldest of ids) {
        if (ids.size <= max) break;
        ids.delete(oldest);
      }
    },
    has: (id) => ids.has(id),
  };
}
