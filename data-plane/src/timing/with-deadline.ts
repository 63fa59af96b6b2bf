/** Waits for `work` at most `ms`, so that work that hangs does not stop everything after it. Throws an Error that names `what`. */
export async function withDeadline<T>(work: Promise<T>, { ms, what }: { ms: number; what: string }): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
