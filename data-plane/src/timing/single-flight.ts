/** Does `work` once for all who ask for it while it is under way; each gets how it ends. `underWay` is their common memory. */
export function singleFlight<T>(underWay: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> {
  const known = underWay.get(key);
  if (known) return known;
  const begun = work().finally(() => underWay.delete(key));
  underWay.set(key, begun);
  return begun;
}
