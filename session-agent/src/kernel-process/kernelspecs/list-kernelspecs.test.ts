import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listKernelspecs } from './list-kernelspecs.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-kernelspecs-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const python = () => join(root, 'venv/bin/python3');

/** Writes a kernelspec below `prefix` and returns the folders that are searched then. */
function install(prefix: string, name: string, spec: unknown): void {
  const folder = join(root, prefix, 'share/jupyter/kernels', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'kernel.json'), typeof spec === 'string' ? spec : JSON.stringify(spec));
}

/** The installed kernels that are in folders of this test, by name. */
function listed() {
  const settings = { python: python(), home: join(root, 'home'), jupyterPath: [join(root, 'given/share/jupyter')] };
  return new Map([...listKernelspecs(settings)].filter(([, { folder }]) => folder.startsWith(root)));
}

test('a kernel has the name of its kernelspec and that of its programming language', () => {
  install('venv', 'Frob', { argv: ['frob'], language: 'Frobnicate' });
  expect([...listed()].map(([name, { argv }]) => [name, argv])).toEqual([
    ['frob', ['frob']],
    ['frobnicate', ['frob']],
  ]);
  expect(listed().get('frob')?.prefix).toBe(join(root, 'venv'));
});

test('the first folder wins, and a name wins over a programming language', () => {
  install('given', 'one', { argv: ['given'], language: 'two' });
  install('home/.local', 'one', { argv: ['home'] });
  install('venv', 'two', { argv: ['venv'], language: 'three' });
  const argv = [...listed()].map(([name, spec]) => [name, spec.argv[0]]);
  expect(Object.fromEntries(argv)).toEqual({ one: 'given', two: 'venv', three: 'venv' });
});

test('the built-in languages keep their names', () => {
  install('venv', 'python3', { argv: ['python3'], language: 'python' });
  install('venv', 'bash', { argv: ['python3'], language: 'bash' });
  expect([...listed().keys()]).toEqual(['python3']);
});

test('ignores kernelspecs that are not valid, and names that no language can have', () => {
  install('venv', 'broken', '{');
  install('venv', 'empty', { argv: [] });
  install('venv', 'large', { argv: ['x'], more: ' '.repeat(2 ** 20) });
  install('venv', 'ctx_1', { argv: ['x'] });
  install('venv', 'a b', { argv: ['x'], language: '../x' });
  install('venv', 'good', { argv: ['x'], env: 7, interrupt_mode: 'sometimes', display_name: 5 });
  expect([...listed()]).toEqual([
    ['good', expect.objectContaining({ argv: ['x'], env: {}, interrupt_mode: 'signal', display_name: '' })],
  ]);
});
