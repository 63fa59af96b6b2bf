const uidsMax = 10_000;

/** Remembers which sandboxes were said to have ended of late: one that ends just before it is bound is no session's at that moment. */
export function createEndedSandboxes() {
  const uids = new Set<string>();
  return {
    add(uid: string): void {
      if (uids.size >= uidsMax) uids.delete(uids.values().next().value as string);
      uids.add(uid);
    },
    has: (uid: string): boolean => uids.has(uid),
  };
}
