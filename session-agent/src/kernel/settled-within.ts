/** Waits until the promise settles, but no longer than `ms`. Leaves no timer behind. */
export async function settledWithin(promise: Promise<unknown>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise.then(resolve, resolve), late]);
  clearTimeout(timer);
}
