import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { classes, legacy } from './typescript/classes.ts';
import { declarations } from './typescript/declarations.ts';
import { generics } from './typescript/generics.ts';
import { jsx } from './typescript/jsx.ts';

const run = promisify(execFile);
const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
const separator = 'end of program';

const groups: [string, readonly string[], readonly string[]][] = [
  ['declarations', declarations, []],
  ['type arguments', generics, []],
  ['classes and standard decorators', classes, []],
  ['legacy decorators', legacy, ['--experimentalDecorators']],
  ['JSX', jsx, ['--jsx', 'react']],
];

test.for(groups)(
  '%s print as steps what they print when the TypeScript compiler has compiled them',
  { timeout: 120_000 },
  async ([, programs, flags]) => {
    const compiled = await compileAndRun(programs, flags);
    await using open = await openKernel('node');
    const printed: string[] = [];
    for (const code of programs) {
      const { stdout, error } = await open.run(code);
      printed.push(error ? `${stdout}${error.traceback.join('\n')}` : stdout);
    }
    const withCode = (outputs: string[]) => outputs.map((output, index) => [programs[index], output]);
    expect(withCode(printed)).toEqual(withCode(compiled));
  },
);

test('there are at least a hundred programs, of each kind some', () => {
  const all = [declarations, generics, classes, legacy, jsx];
  expect(new Set(all.flat()).size).toBeGreaterThanOrEqual(100);
  for (const programs of all) expect(programs.length).toBeGreaterThanOrEqual(5);
});

/** Compiles each program by itself and runs them one after the other. Types are not checked, as for a step. */
async function compileAndRun(programs: readonly string[], flags: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync('/tmp/holdfast-test-');
  const options = [
    '--noCheck',
    '--moduleDetection',
    'force',
    '--target',
    'es2022',
    '--module',
    'esnext',
    '--outDir',
    'out',
  ];
  try {
    mkdirSync(join(folder, 'out'));
    writeFileSync(join(folder, 'out/package.json'), '{"type": "module"}');
    const sources = programs.map((_, index) => `program-${index}.${flags.includes('--jsx') ? 'tsx' : 'ts'}`);
    for (const [index, file] of sources.entries()) writeFileSync(join(folder, file), programs[index] ?? '');
    await run(process.execPath, [tsc, ...options, ...flags, ...sources], { cwd: folder });
    const imports = programs.map((_, index) => `await import('./program-${index}.js'); console.log('${separator}');`);
    writeFileSync(join(folder, 'out/all.js'), imports.join('\n'));
    const { stdout } = await run(process.execPath, [join(folder, 'out/all.js')]);
    return stdout.split(`${separator}\n`).slice(0, -1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
