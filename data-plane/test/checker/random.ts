export type Random = ReturnType<typeof createRandom>;

/** Repeats the same choices for the same seed: `sfc32`, seeded from a text with FNV-1a. */
export function createRandom(seed: string) {
  const state = [1, 2, 3, 4].map((salt) => hash(`${salt}/${seed}`)) as [number, number, number, number];

  /** From 0 up to, but not including, 1. */
  function fraction(): number {
    const [a, b, c, d] = state;
    const sum = (a + b + d) | 0;
    state[3] = (d + 1) | 0;
    state[0] = b ^ (b >>> 9);
    state[1] = (c + (c << 3)) | 0;
    state[2] = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  }
  const below = (count: number) => Math.floor(fraction() * count);

  return {
    fraction,
    below,
    between: (min: number, max: number) => min + fraction() * (max - min),
    chance: (probability: number) => fraction() < probability,
    pick<T>(all: readonly T[]): T {
      if (all.length === 0) throw new Error('there is nothing to pick from');
      return all[below(all.length)] as T;
    },
    shuffled<T>(all: readonly T[]): T[] {
      const keyed = all.map((one) => [fraction(), one] as const);
      return keyed.toSorted(([a], [b]) => a - b).map(([, one]) => one);
    },
  };
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return value | 0;
}
