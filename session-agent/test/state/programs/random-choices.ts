/** Random numbers that a seed repeats: mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Makes the choices of a random program. `kinds` maps the letter that names of a kind begin with to those that exist from the start. */
export function createChoices(seed: number, kinds: Record<string, string[]>) {
  const random = randomFrom(seed);
  const known = new Map(Object.entries(kinds).map(([kind, names]) => [kind, [...names]]));
  const pending: [string, string][] = [];
  const below = (count: number) => Math.floor(random() * count);
  const one = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const namesOf = (kind: string) => known.get(kind) ?? [];
  return {
    random,
    below,
    one,
    /** A name of a kind, whether or not a step has made it. */
    any: (kind: string) => `${kind}${below(6)}`,
    /** A name that the step is about to make, so the steps after it can use it. */
    made(kind: string): string {
      const name = `${kind}${below(6)}`;
      pending.push([kind, name]);
      return name;
    },
    /** A name that a step has made, or the text `otherwise` if there is none. */
    some: (kind: string, otherwise = '') => (namesOf(kind).length > 0 ? one(namesOf(kind)) : otherwise),
    number: () => (random() < 0.5 ? one(namesOf('n')) : `${below(100)}`),
    /** Steps of one to three statements each. */
    steps(
      first: string,
      length: number,
      shapes: readonly (() => string)[],
      rare: readonly (() => string)[] = [],
    ): string[] {
      const steps = [first];
      const shape = () => one(rare.length > 0 && random() < 0.02 ? rare : shapes)();
      while (steps.length < length) {
        const count = random() < 0.7 ? 1 : 2 + below(2);
        steps.push(Array.from({ length: count }, shape).join('\n'));
        for (const [kind, name] of pending.splice(0)) known.set(kind, [...new Set([...namesOf(kind), name])]);
      }
      return steps;
    },
  };
}
