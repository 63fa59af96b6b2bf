/** Runs `work` once for all callers with the same key while it is under way; each gets its outcome. `underWay` holds the running work. */
export function singleFlight<T>(underWay: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> {
  const known = underWay.get(key);
  if (known) return known;
  const begun = work().finally(() => underWay.delete(key));
  underWay.set(key, begun);
  return begun;
}
