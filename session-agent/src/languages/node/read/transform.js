import { Buffer } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';

const inlineMap = /\n*\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)\s*$/;
const outputBytesMax = 64 * 1024 * 1024;
const msMax = 30_000;
const jsxSign = /<\/|\/>/;
/** Decorators with these words in their step expect the arguments that TypeScript gave them before decorators were standardized. */
const legacySign = /\b(?:PropertyDescriptor|reflect-metadata|experimentalDecorators)\b/;
let program;

/**
 * Transforms what has no meaning in JavaScript (enums, namespaces, parameter properties, decorators, accessors, JSX) with esbuild:
 * `{code, map}`, or null if the source is not TypeScript. esbuild runs as a process of its own, so that it needs no memory afterwards.
 */
export function transform(source, { hasReact }) {
  const jsx = hasReact || /@jsx\s/.test(source) ? 'transform' : 'automatic';
  const isLegacy = legacySign.test(source);
  for (const loader of jsxSign.test(source) ? ['tsx', 'ts'] : ['ts']) {
    const transformed = runEsbuild(source, { loader, jsx, isLegacy });
    if (transformed !== null) return transformed;
    // Only then may parameters have decorators.
    const asLegacy = !isLegacy && source.includes('@') ? runEsbuild(source, { loader, jsx, isLegacy: true }) : null;
    if (asLegacy !== null) return asLegacy;
  }
  return null;
}

function runEsbuild(source, { loader, jsx, isLegacy }) {
  // Imports stay although this step may not use them, since a later step may.
  const compilerOptions = { verbatimModuleSyntax: true, experimentalDecorators: isLegacy };
  const args = [
    `--loader=${loader}`,
    `--jsx=${jsx}`,
    `--tsconfig-raw=${JSON.stringify({ compilerOptions })}`,
    '--target=node24',
    '--sourcemap=inline',
    '--sources-content=false',
    '--charset=utf8',
    '--log-level=silent',
  ];
  program ??= findEsbuild();
  const { status, stdout } = spawnSync(program, args, {
    input: Buffer.from(source),
    env: {},
    cwd: '/',
    maxBuffer: outputBytesMax,
    timeout: msMax,
  });
  if (status !== 0) return null;
  const text = stdout.toString();
  const [, map] = inlineMap.exec(text);
  return { code: text.replace(inlineMap, ''), map: () => JSON.parse(Buffer.from(map, 'base64').toString()) };
}

/** In an image, the program is a file beside the kernel. */
function findEsbuild() {
  const bundled = fileURLToPath(new URL('./esbuild', import.meta.url));
  if (existsSync(bundled)) return bundled;
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('esbuild'));
  return resolve(`@esbuild/linux-${process.arch}/bin/esbuild`);
}
