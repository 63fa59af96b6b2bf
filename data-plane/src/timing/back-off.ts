/** The wait before the next try of work that fails: it doubles from `firstMs`. Times are in milliseconds of a clock that never goes back. */
export function createBackOff({ firstMs, maxMs }: { firstMs: number; maxMs: number }) {
  let failures = 0;
  let untilMs = Number.NEGATIVE_INFINITY;
  return {
    /** Whether the last try has failed. */
    get failing(): boolean {
      return failures > 0;
    },
    waits: (nowMs: number): boolean => nowMs < untilMs,
    /** Tries that were under way together count once. `atLeastMs` is the delay that the other side asks for. */
    failed(nowMs: number, atLeastMs = 0): void {
      if (nowMs < untilMs) return;
      untilMs = nowMs + Math.min(maxMs, Math.max(firstMs * 2 ** failures, atLeastMs));
      failures += 1;
    },
    succeeded(): void {
      failures = 0;
      untilMs = Number.NEGATIVE_INFINITY;
    },
  };
}
