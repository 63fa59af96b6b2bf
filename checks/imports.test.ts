import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderCircles } from './folder-circles.ts';
import { type Module, partOf, surplusOf, violationsOf } from './import-rule.ts';

const root = join(import.meta.dirname, '..');

async function readModules(): Promise<Module[]> {
  const paths: string[] = [];
  for await (const path of glob('{specs,connections,data-plane,session-agent,clients/*,cli}/src/**/*.{ts,js}', {
    cwd: root,
  }))
    paths.push(path);
  const sources = paths.filter((path) => !path.endsWith('.test.ts'));
  return await Promise.all(sources.map(async (path) => ({ path, code: await readFile(join(root, path), 'utf8') })));
}

const modules = await readModules();

test('every module imports only what the table of parts and libraries allows', () => {
  expect(modules.length).toBeGreaterThan(100);
  expect(modules.flatMap(violationsOf)).toEqual([]);
});

test('the table lists only what exists and allows only what is used', () => {
  expect(surplusOf(modules)).toEqual([]);
});

test('no folders import each other in a circle', () => {
  expect(folderCircles(modules)).toEqual([]);
});

test('no parts import each other in a circle', () => {
  expect(folderCircles(modules, (path) => partOf(path) ?? path)).toEqual([]);
});

test('a circle is found over three folders and through types', () => {
  const circle = [
    { path: 'data-plane/src/a/x.ts', code: `import { y } from '../b/y.ts';` },
    { path: 'data-plane/src/b/y.ts', code: `import type { Z } from '../c/deep/z.ts';` },
    { path: 'data-plane/src/c/deep/z.ts', code: `export { w } from '../../a/w.ts';` },
    { path: 'data-plane/src/d/v.ts', code: `import { x } from '../a/x.ts';` },
  ];
  expect(folderCircles(circle)).toHaveLength(1);
  expect(folderCircles(circle)[0]).toMatch(/^data-plane\/src\/a, data-plane\/src\/b, data-plane\/src\/c\/deep:/);
  expect(folderCircles(circle.toSpliced(1, 1))).toEqual([]);
});

test('a permission that nothing uses is found', () => {
  expect(surplusOf(modules.filter(({ path }) => !path.startsWith('data-plane/src/access/')))).toContain(
    'data-plane/src/access has no module',
  );
});

test.each([
  ['an adapter of another', 'data-plane/src/agent/x.ts', `import { x } from '../registry/x.ts';`],
  ['a type of another adapter', 'data-plane/src/agent/x.ts', `import type { X } from '../registry/x.ts';`],
  ['a driver of another', 'data-plane/src/runtimes/process/x.ts', `export { x } from '../kubernetes/x.ts';`],
  ['the domain of a driver', 'data-plane/src/sessions/x.ts', `import { x } from '../runtimes/process/x.ts';`],
  ['an upper part', 'data-plane/src/sessions/x.ts', `const { x } = await import('../http/x.ts');`],
  ['an upper part by an import type', 'data-plane/src/registry/x.ts', `let x: import('../sessions/x.ts').X;`],
  ['the other package', 'data-plane/src/agent/x.ts', `import { x } from '../../../session-agent/src/auth/x.ts';`],
  [
    'the configuration as a value',
    'data-plane/src/http/x.ts',
    `import { parseConfig } from '../config/parse-config.ts';`,
  ],
  ['the composition', 'data-plane/src/http/x.ts', `import { x } from '../start/x.ts';`],
  ['a library out of its home', 'data-plane/src/sessions/x.ts', `import { sql } from 'drizzle-orm';`],
  ['a part of a library out of its home', 'data-plane/src/registry/x.ts', `import { x } from 'hono/router';`],
  ['an unknown library', 'data-plane/src/http/x.ts', `import left from 'left-pad';`],
  ['the environment', 'data-plane/src/http/x.ts', 'export const port = process.env.PORT;'],
  ['the environment by destructuring', 'session-agent/src/steps/x.ts', 'const { env } = process;'],
  ['the environment by import', 'session-agent/src/steps/x.ts', `import { env } from 'node:process';`],
  ['a file outside the table', 'data-plane/src/sundries/x.ts', ''],
])('the rule refuses %s', (_, path, code) => {
  expect(violationsOf({ path, code })).toHaveLength(1);
});

test.each([
  ['a lower part', 'data-plane/src/sessions/x.ts', `import { x } from '../registry/x.ts';`],
  ['its own part', 'data-plane/src/http/routes/x.ts', `import { x } from '../x.ts';`],
  ['the contract', 'data-plane/src/registry/x.ts', `import { Problem } from '@holdfast/specs/public';`],
  ['a type of the observability', 'data-plane/src/http/x.ts', `import type { Log } from '../observability/x.ts';`],
  ['Node', 'session-agent/src/auth/x.ts', `import { once } from 'node:events';`],
])('the rule allows %s', (_, path, code) => {
  expect(violationsOf({ path, code })).toEqual([]);
});
