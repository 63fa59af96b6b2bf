/** Remembers the last `max` ids that were added. */
export function lastIds(max: number): { add: (id: string) => void; has: (id: string) => boolean } {
  const ids = new Set<string>();
  return {
    add(id) {
      ids.delete(id);
      ids.add(id);
      // A set gives its members in the order they were added.
      for (const oldest of ids) {
        if (ids.size <= max) break;
        ids.delete(oldest);
      }
    },
    has: (id) => ids.has(id),
  };
}
