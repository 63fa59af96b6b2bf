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

/** A Python program as steps: counters, containers that share parts, functions, closures and classes, redefined, changed and deleted. */
export function pythonProgram(seed: number, length: number): string[] {
  const random = randomFrom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const one = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const known = {
    number: ['n0'],
    list: ['l0'],
    dict: ['d0'],
    plain: [] as string[],
    closure: [] as string[],
    object: [] as string[],
  };
  const fresh = (kind: string) => `${kind}${below(6)}`;
  const note = (kind: keyof typeof known, name: string) => {
    if (!known[kind].includes(name)) known[kind].push(name);
    return name;
  };
  const number = () => (random() < 0.5 ? one(known.number) : `${below(100)}`);
  const shapes: (() => string)[] = [
    () => `${one(known.number)} += ${number()}`,
    () => `${note('number', fresh('n'))} = ${number()} * 2 + ${number()}`,
    () => `${note('list', fresh('l'))} = [${number()}, ${number()}]`,
    () => `${note('list', fresh('l'))} = ${one(known.list)}`,
    () => `${one(known.list)}.append(${number()})`,
    () => `${one(known.list)}[:1] = [${one(known.list)}[-1:]]`,
    () => `${note('dict', fresh('d'))} = {'a': ${one(known.list)}, 'b': ${number()}}`,
    () => `${one(known.dict)}['a'] = ${one(known.list)}`,
    () => `${one(known.dict)}.setdefault('c', []).append(${number()})`,
    () => `for k in range(3): ${one(known.list)}.append(k)`,
    () => `print(${one(known.list)}, ${number()})`,
    () => `len(${one(known.list)}) + sum(range(3))`,
    () => `sorted(${one(known.dict)})`,
    () => `def ${note('plain', fresh('f'))}(k=0):\n  return k + ${one(known.number)} + len(${one(known.list)})`,
    () =>
      `def ${note('plain', fresh('f'))}(k=0):\n  global ${one(known.number)}\n  ${one(known.list)}.append(k)\n  return k`,
    () =>
      `def ${note('plain', fresh('f'))}(k=0):\n  return ${known.plain.length > 0 ? one(known.plain) : 'abs'}(k) + 1 if k < 3 else k`,
    () =>
      `def make():\n  c = ${below(9)}\n  def step(k=1):\n    nonlocal c\n    c += k\n    return c\n  return step\n${note('closure', fresh('c'))} = make()`,
    () => (known.closure.length > 0 ? `${one(known.closure)}(${below(5)})` : 'None'),
    () => (known.plain.length > 0 ? `${note('number', fresh('n'))} = ${one(known.plain)}(${below(3)})` : 'None'),
    () =>
      `class A:\n  made = 0\n  def __init__(self): self.items = []; A.made += 1\n  def put(self, k): self.items.append(k); return self`,
    () =>
      `class A:\n  made = 10\n  def __init__(self): self.items = [${below(5)}]\n  def put(self, k): self.items.insert(0, k); return self\nclass B(A):\n  def put(self, k): return super().put(k + 1)`,
    () => `${note('object', fresh('o'))} = A().put(${number()}) if 'A' in dir() else None`,
    () => (known.object.length > 0 ? `${one(known.object)} and ${one(known.object)}.put(${number()})` : 'None'),
    () => (known.object.length > 0 ? `${one(known.list)}.append(${one(known.object)})` : 'None'),
    () => `del ${fresh('n')}`,
    () => `import math, json as j\n${note('number', fresh('n'))} = math.floor(${number()})`,
  ];
  const steps = ['n0 = 1; l0 = [1]; d0 = {"a": l0}'];
  while (steps.length < length) steps.push(one(shapes)());
  return steps;
}
