import { randomFrom } from './random-programs.ts';

/** A JavaScript program as steps: counters, containers that share parts, functions, closures and classes, redefined, changed and deleted. */
export function nodeProgram(seed: number, length: number): string[] {
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
  const kind = () => one(['let ', 'var ', '', 'let ']);
  const number = () => (random() < 0.5 ? one(known.number) : `${below(100)}`);
  const shapes: (() => string)[] = [
    () => `${one(known.number)} += ${number()}`,
    () => `${one(known.number)}++`,
    () => `${kind()}${note('number', fresh('n'))} = ${number()} * 2 + ${number()}`,
    () => `${one(['let', 'const', 'var'])} ${note('number', fresh('n'))} = ${below(100)}`,
    () => `${kind()}${note('list', fresh('l'))} = [${number()}, ${number()}]`,
    () => `const ${note('list', fresh('l'))} = ${one(known.list)}`,
    () => `${one(known.list)}.push(${number()})`,
    () => `${one(known.list)}.splice(0, 1, [...${one(known.list)}].slice(-1))`,
    () => `${kind()}${note('dict', fresh('d'))} = { a: ${one(known.list)}, b: ${number()} }`,
    () => `let ${note('dict', fresh('d'))} = new Map([['a', ${one(known.list)}]])`,
    () => `${one(known.dict)}.c = ${one(known.list)}`,
    () => `(${one(known.dict)}.e ??= []).push(${number()})`,
    () => `for (let k = 0; k < 3; k++) ${one(known.list)}.push(k)`,
    () => `console.log(${one(known.list)}, ${number()})`,
    () => `${one(known.list)}.length + Math.max(1, 2)`,
    () => `[${one(known.list)}].map((x) => x)`,
    () =>
      `function ${note('plain', fresh('f'))}(k = 0) {\n  return k + ${one(known.number)} + ${one(known.list)}.length\n}`,
    () =>
      `function ${note('plain', fresh('f'))}(k = 0) {\n  ${one(known.list)}.push(k); ${one(known.number)} += 1\n  return k\n}`,
    () =>
      `const ${note('plain', fresh('f'))} = (k = 0) => k < 3 ? ${known.plain.length > 0 ? one(known.plain) : 'Math.abs'}(k) + 1 : k`,
    () =>
      `function make() { let c = ${below(9)}; return (k = 1) => { c += k; return c } }\nvar ${note('closure', fresh('c'))} = make()`,
    () =>
      `function make(c) { const kept = [c]; return { add(k) { c += k; kept.push(k); return c }, read: () => c + kept.length } }\nvar pair = make(${below(9)}); const { add: ${note('closure', fresh('c'))}, read: ${note('closure', fresh('c'))} } = pair`,
    () => `var ${note('closure', fresh('c'))} = make(${below(3)})`,
    () => (known.closure.length > 0 ? `${one(known.closure)}(${below(5)})` : 'null'),
    () =>
      known.plain.length > 0 ? `${kind()}${note('number', fresh('n'))} = ${one(known.plain)}(${below(3)})` : 'null',
    () =>
      'class A { static made = 0; constructor() { this.items = []; A.made += 1 } put(k) { this.items.push(k); return this } }',
    () =>
      `class A { static made = 10; constructor() { this.items = [${below(5)}] } put(k) { this.items.unshift(k); return this } get size() { return this.items.length } }\nclass B extends A { put(k) { return super.put(k + 1) } }`,
    () => `class B extends A { static tag = ${below(9)}; more = 1 }`,
    () => `${kind()}${note('object', fresh('o'))} = new ${one(['A', 'B'])}().put(${number()})`,
    () => (known.object.length > 0 ? `${one(known.object)}.put(${number()})` : 'null'),
    () => (known.object.length > 0 ? `${one(known.list)}.push(${one(known.object)})` : 'null'),
    () => (known.object.length > 0 ? `Object.freeze(${one(known.object)})` : 'null'),
    () => `delete globalThis.${fresh('n')}`,
    () =>
      `import { join, sep as separator } from 'node:path'\nlet ${note('number', fresh('n'))} = join('a', 'b').length`,
    () => `A.prototype.extra = function () { return ${number()} }`,
    () => `throw new Error('no')`,
    () => `${one(known.number)} += 1; undefinedName()`,
  ];
  const steps = ['let n0 = 1; let l0 = [1]; var d0 = { a: l0 }'];
  while (steps.length < length) steps.push(one(shapes)());
  return steps;
}
