import type { Behaviour } from './run-behaviours.ts';

const shows = (name: string, code: string, shown: string, source = 'TypeScript handbook'): Behaviour => ({
  name,
  source,
  steps: [{ code, shown }],
});

/** TypeScript as steps. */
export const typescript: Behaviour[] = [
  shows(
    'types and interfaces are left out',
    'interface P { x: number }\ntype Q = P | null;\nconst p: P = { x: 4 };\np.x as number',
    '4',
    'TypeScript handbook: object types',
  ),
  shows(
    'generics are left out',
    'const id = <T,>(v: T): T => v; id<string>("s")',
    "'s'",
    'TypeScript handbook: generics',
  ),
  shows(
    'satisfies, as const and ! are left out',
    'const o = { a: 1 } satisfies { a: number }; const t = [1] as const; t[0]! + o!.a',
    '2',
    'TypeScript 4.9: satisfies',
  ),
  shows(
    'functions with optional and rest parameters run',
    'function f(a: number, b?: string, ...c: boolean[]): string { return a + b + c }\nf(1, "x", true)',
    "'1xtrue'",
  ),
  shows(
    'enums map names to values and values to names',
    'enum Colour { Red = 7, Green }\n[Colour.Green, Colour[7]]',
    "[ 8, 'Red' ]",
    'TypeScript handbook: enums',
  ),
  shows('a const enum is an enum', 'const enum K { A = "a" }\nK.A', "'a'", 'TypeScript handbook: enums'),
  shows(
    'namespaces are objects',
    'namespace N { export const v = 3; export namespace M { export const w = 4 } }\nN.v + N.M.w',
    '7',
    'TypeScript handbook: namespaces',
  ),
  shows(
    'parameter properties are fields',
    'class Q { constructor(private readonly p: number) {} get() { return this.p } }\nnew Q(4).get()',
    '4',
    'TypeScript handbook: classes',
  ),
  shows(
    'abstract classes, implements, overloads and declare are left out',
    'interface I { run(): number }\nabstract class A implements I { abstract run(): number; declare x: string }\nclass B extends A { run(): number; run(n?: number): number { return n ?? 5 } }\nnew B().run()',
    '5',
    'TypeScript handbook: classes',
  ),
  shows(
    'arrow functions with types and type predicates run',
    'const isText = (v: unknown): v is string => typeof v === "string"; [1, "a"].filter(isText)',
    "[ 'a' ]",
    'TypeScript handbook: narrowing',
  ),
  shows(
    'import types and typeof types are left out',
    'let s: import("fs").Stats | undefined; const n: typeof s = undefined; typeof n',
    "'undefined'",
    'TypeScript handbook: modules',
  ),
  {
    name: 'a declaration in TypeScript stays for JavaScript, and the other way round',
    source: 'languages/node/README.md: TypeScript works',
    steps: [{ code: 'enum E { A = 1 }' }, { code: 'E.A', shown: '1' }, { code: 'const E: number = 2; E', shown: '2' }],
  },
  {
    name: 'an error has its true position after types are left out and after code is transformed',
    source: 'Node: type stripping keeps positions; source maps',
    steps: [
      {
        code: 'const a: number = 1;\nconst b: string = (a as any).b.c',
        error: { name: 'TypeError', traceback: /\[step-1\]:2:32/ },
      },
      {
        code: 'enum E { A = 1, B }\n\nthrow new Error("here")',
        error: { name: 'Error', traceback: /^\[step-2\]:3\nthrow new Error[\s\S]*at \[step-2\]:3:7/ },
      },
    ],
  },
  {
    name: 'a name declared twice is a SyntaxError in TypeScript too',
    source: 'ECMA-262 16.1.1, early errors of scripts',
    steps: [
      {
        code: 'let a: number = 1;\nlet a: string = ""',
        error: { name: 'SyntaxError', message: "Identifier 'a' has already been declared", traceback: /:2:5/ },
      },
    ],
  },
  {
    name: 'type arguments make a call, and comparisons stay comparisons',
    source: 'TypeScript handbook: generics; ECMA-262 13.10, relational operators',
    steps: [
      { code: 'const f = (...x) => x, Map2 = Map, a = 1, b = 2, text = String.raw' },
      { code: 'f<string>(1)', shown: '[ 1 ]' },
      { code: 'f<Map<string, [number, "x"]>>(f<1 | 2>(3), 4)', shown: '[ [ 3 ], 4 ]' },
      { code: 'new Map2<string, number>([[a, b]]).size + text<string>`x`', shown: "'1x'" },
      { code: 'a < b && b > (a) && "<b>(x)</b>".length', shown: '10' },
    ],
  },
];
