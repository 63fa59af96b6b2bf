const firstMs = 2000;
const maxMs = 6 * 3600_000;

/** With these delays, that is about a day. */
export const attemptsMax = 18;

/**
 * The wait after an attempt has failed: it doubles each time, and half of it is by chance, so that receivers that come back do not get everything at once. Null
 * after the last one. Pure.
 * @param chance from 0 to 1
 */
export function retryDelayMs({ attempts, chance }: { attempts: number; chance: number }): number | null {
  if (attempts >= attemptsMax) return null;
  const wholeMs = Math.min(maxMs, firstMs * 2 ** (attempts - 1));
  return Math.round(wholeMs * (0.5 + chance / 2));
}
