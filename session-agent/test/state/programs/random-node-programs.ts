import { createChoices } from './random-choices.ts';

/** The names that steps may make. */
export const nodeNames = [...'nldfcopv'].flatMap((kind) => [0, 1, 2, 3, 4, 5].map((at) => `${kind}${at}`));
nodeNames.push('A', 'B', 'C', 'P', 'make', 'pair', 'join', 'separator', 'k', 'Mixed');

/** A JavaScript program as steps: counters, containers that share parts, functions, closures and classes, redefined, changed and deleted. */
export function nodeProgram(seed: number, length: number): string[] {
  const { below, one, any, made, some, number, steps } = createChoices(seed, { n: ['n0'], l: ['l0'], d: ['d0'] });
  const list = () => some('l');
  const dict = () => some('d');
  const plain = () => some('f', 'Math.abs');
  const object = () => some('o', 'l0');
  const kind = () => one(['A', 'A', 'A', 'B', 'B', 'C']);
  const declared = () => one(['let ', 'var ', '', 'let ', 'const ']);
  const counters = [
    () => `${some('n')} += ${number()}`,
    () => `${some('n')}++`,
    () => `${declared()}${made('n')} = ${number()} * 2 + ${number()}`,
    () => `let [${made('n')}, ${made('n')} = 5] = [${number()}, ${number()}]`,
    () => `if (${number()} > 40) ${some('n')} -= 1; else { var ${made('n')} = -0 }`,
    () => `for (let k = 0; k < 3; k++) { ${some('n')} += k; if (k > ${number()}) break }`,
    () =>
      `${declared()}${made('n')} = ${one(['10n ** 20n', 'NaN', '-0', '"text " + n0', 'Symbol.for("s")', 'undefined', 'null'])}`,
    () => `delete globalThis.${any('n')}`,
    () => `import { join, sep as separator } from 'node:path'\nlet ${made('n')} = join('a', 'b').length`,
    () => `let ${made('n')}: number = ${number()} as number`,
  ];
  const containers = [
    () => `${declared()}${made('l')} = [${number()}, ${number()}]`,
    () => `${declared()}${made('l')} = ${list()}`,
    () => `${list()}.push(${number()})`,
    () => `${list()}.push(${one([list, dict, object])()})`,
    () => `${list()}.splice(0, 1, [...${list()}].slice(-1))`,
    () => `${list()}[${2 + below(5)}] = ${number()}`,
    () => `for (const k of [0, 1, 2]) ${list()}.push(k)`,
    () =>
      `${declared()}${made('d')} = { a: ${list()}, b: ${number()}, [Symbol.for('s')]: 1, get twice() { return 2 * this.b } }`,
    () => `let ${made('d')} = { ...${dict()}, e: [${list()}, ${number()}] }`,
    () => `${dict()}.c = ${one([list, dict, number])()}`,
    () => `(${dict()}.e ??= []).push(${number()})`,
    () => `delete ${dict()}.a`,
    () =>
      `let ${made('v')} = new Map([['a', ${list()}], [${dict()}, ${number()}]])\nvar ${made('v')} = new Set([1, ${list()}])`,
    () =>
      `let ${made('v')} = [new Date(${below(99)}), /a+/g, new Uint8Array([1, ${below(9)}]), new Error('no'), , Object(1)]`,
    () =>
      `var ${made('v')} = Object.freeze([${list()}])\nlet ${made('v')} = Object.create({ of: ${list()} }, { hidden: { value: ${number()} } })`,
    () => `const { a: ${made('v')} = 1, ...${made('v')} } = ${dict()}`,
    () => `let ${made('v')} = await Promise.resolve(${list()})`,
    () => `try { ${list()}.missing() } catch (error) { var ${made('v')} = error.constructor }`,
    () => `console.log(${list()}, ${number()})`,
    () => `${list()}.length + Math.max(1, 2)`,
    () => `delete globalThis.${any(one(['l', 'd', 'v']))}`,
  ];
  const functions = [
    () => `function ${made('f')}(k = 0) {\n  return k + ${some('n')} + ${list()}.length\n}`,
    () => `function ${made('f')}(k = 0) {\n  ${list()}.push(k); ${some('n')} += 1\n  return k\n}`,
    () => `const ${made('f')} = (k = 0) => k < 3 ? ${plain()}(k) + 1 : k`,
    () => `function ${made('f')}(k = 0, ...rest) { return k > 2 ? ${any('f')}(k - 1) : rest.length }`,
    () =>
      `var ${made('f')} = async function named(k) { return await k }\nlet ${made('f')} = function* () { yield ${some('n')} }`,
    () => `${declared()}${made('f')} = ${plain()}`,
    () => `${plain()}.calls = ${list()}`,
    () => `${declared()}${made('n')} = ${plain()}(${below(3)})`,
    () => `${plain()}(${below(3)})`,
    () =>
      `let ${made('p')} = { k: ${below(9)}, put(k) { this.k += k; return this.k }, get twice() { return this.k * 2 }, at: ${list()} }`,
  ];
  const closures = [
    () => `function make(c = ${below(9)}) { return (k = 1) => { c += k; return c } }\nvar ${made('c')} = make()`,
    () =>
      `function make(c = 3) { const kept = [c]; return { add(k) { c += k; kept.push(k); return c }, read: () => c + kept.length } }\nvar pair = make(${below(9)}); const { add: ${made('c')}, read: ${made('c')} } = pair`,
    () => `var ${made('c')} = make(${below(3)})`,
    () => `let [${made('c')}, ${made('c')}] = [1, 2].map((i) => { let sum = i; return (k) => sum += k * i })`,
    () =>
      `const made = []; for (let i = 0; i < 2; i++) made.push((k) => (i += k))\nvar [${made('c')}, ${made('c')}] = made`,
    () =>
      `{ let inner = ${below(9)}; var ${made('c')} = (k) => inner -= k; function ${made('c')}(k) { return [inner, k] + '' } }`,
    () =>
      `const ${made('p')} = (() => { let k = ${below(9)}; class Inner { get() { return k++ } } return new Inner() })()`,
    () => `const ${made('c')} = ((outer) => (inner) => (k) => [outer++, inner += k] + '')(1)(${below(5)})`,
    () => `${some('c', 'Math.abs')}(${below(5)})`,
    () => `${list()}.push(${some('c', 'null')})`,
  ];
  const classes = [
    () =>
      'class A { static made = 0; constructor() { this.items = []; A.made += 1 } put(k) { this.items.push(k); return this } }',
    () =>
      `class A { static made = 10; constructor() { this.items = [${below(5)}] } put(k) { this.items.unshift(k); return this } get size() { return this.items.length } }\nclass B extends A { put(k) { return super.put(k + 1) } }`,
    () =>
      `class B extends A { static tag = ${below(9)}; more = 1; static { this.list = ${list()} } set size(k) { this.items.length = k } }`,
    () =>
      `const C = class extends B { static new() { return new this() }; put = (k) => { this.last = k; return this } }`,
    () => `class C extends B { #hidden = ${below(9)}; put(k) { this.#hidden += k; return super.put(this.#hidden) } }`,
    () =>
      `const Mixed = ((Base) => class extends Base { mixed() { return ${below(9)} } })(A); let ${made('o')} = new Mixed()`,
    () =>
      `function P(k) { this.k = k; this.items = [] }\nP.prototype.put = function (k) { this.k += k; return this }\nlet ${made('o')} = new P(${below(9)})`,
    () => `class Mine extends Error { code = ${below(9)} }\nvar ${made('v')} = new Mine('no', { cause: ${list()} })`,
    () => `enum E { One = ${below(9)}, Two }\nlet ${made('v')} = E.Two`,
    () => `${declared()}${made('o')} = new ${kind()}().put(${number()})`,
    () => `let ${made('o')} = ${object()}; ${list()}.push(${object()})`,
    () => `${object()}.put(${number()})`,
    () => `${object()}.next = ${object()}; ${object()}.own = ${list()}`,
    () => `Object.freeze(${object()})`,
    () => `${kind()}.made = ${number()}`,
    () => `A.prototype.extra = function () { return ${number()} }`,
    () => `Object.setPrototypeOf(${object()}, ${one(['null', 'A.prototype', 'B.prototype'])})`,
  ];
  const endings = [
    () => `throw new Error('no')`,
    () => `${some('n')} += 1; ${list()}.push(2); undefinedName(); var ${made('n')} = 5`,
    () => `function ${made('f')}(k = 0) { return k }\nnull.a\nfunction ${made('f')}(k = 0) { return -k }`,
  ];
  const rare = [
    () => `eval('${some('n')} = ${below(9)}')`,
    () => `let ${made('v')} = new WeakMap([[${list()}, 1]])`,
    () => `let ${made('v')} = new Proxy(${list()}, {})`,
    () => `let ${made('f')} = ${plain()}.bind(null, 1)`,
  ];
  const groups = [counters, counters, containers, containers, functions, closures, classes, classes];
  const shapes = [
    ...groups.map((group) => () => one(group)()),
    () => (below(4) === 0 ? one(endings)() : one(containers)()),
  ];
  const first =
    'let n0 = 1; let l0 = [1]; var d0 = { a: l0 }; class A { put(k) { this.items = [k]; return this } }; class B extends A {}';
  return steps(first, length, shapes, rare);
}
