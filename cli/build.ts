import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const [out = join(import.meta.dirname, 'dist')] = process.argv.slice(2);

/**
 * Writes the program with everything that it imports, so that a package of it depends on nothing. Commands are pieces of their own, of which a
 * call reads the one that it needs.
 */
await rm(out, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: [join(import.meta.dirname, 'src/main.ts')],
  outdir: out,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  charset: 'utf8',
  logLevel: 'warning',
  metafile: true,
  chunkNames: '[name]-[hash]',
  tsconfig: join(import.meta.dirname, '../tsconfig.json'),
  // Some libraries are CommonJS and require Node's modules at run time.
  banner: {
    js: `import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);`,
  },
});
await chmod(join(out, 'main.js'), 0o755);
await writeFile(join(out, 'LICENSES.txt'), await licensesOf(Object.keys(metafile.inputs)));

/** The licenses of the packages from which these files come. */
async function licensesOf(files: string[]): Promise<string> {
  const folders = files.map((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  const texts = [...new Set(folders)].toSorted().map(async (folder) => {
    if (!folder) return '';
    const { name, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return `${name} ${version}\n\n${await readFile(join(folder, 'LICENSE'), 'utf8')}\n`;
  });
  return (await Promise.all(texts)).join('\n');
}
