import { expect, test } from 'vitest';

// By its URL, since the kernel's JavaScript has no types.
const { rewriteImports } = await import(new URL('./rewrite-imports.js', import.meta.url).href);

test.for([
  ["import a from 'm'", `let { default: a } = await $imports$("m", null, ["default"]);`],
  ["import { a, b as c } from 'm';", `let { a, b: c } = await $imports$("m", null, ["a","b"]);`],
  ["import * as n from 'm'", `let n = await $imports$("m", null, []);`],
  ["import d, * as n from 'm'", `let n = await $imports$("m", null, ["default"]), d = n.default;`],
  ["import 'm'", `void await $imports$("m", null, []);`],
  [
    "import j from 'm' with { type: 'json' }",
    `let { default: j } = await $imports$("m", {"type":"json"}, ["default"]);`,
  ],
  ["import { type T, a } from 'm'", `let { a } = await $imports$("m", null, ["a"]);`],
  ["import type { T } from 'm'", "import type { T } from 'm'"],
  ["import('m')", "$impt$('m')"],
  ['import.meta.url', '$importmeta.url'],
  ['"import a from \'m\'"', '"import a from \'m\'"'],
])('rewrites %s', async ([source, expected]) => {
  expect(await rewriteImports(source)).toBe(expected);
});

test('rewriting keeps the number of lines', async () => {
  const source = "import {\n  a,\n  b,\n} from 'm'\nlast";
  expect((await rewriteImports(source)).split('\n')[4]).toBe('last');
});
