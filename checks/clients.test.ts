import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { generate } from '../clients/typescript/generate.ts';

const root = join(import.meta.dirname, '..');
const client = join(root, 'clients/typescript');
const generated = join(client, 'src/generated');

test('the TypeScript client has the types of the OpenAPI document (`npm run openapi`)', async () => {
  const files = await generate();
  expect(Object.keys(files)).toContain('api.ts');
  for (const [name, text] of Object.entries(files)) {
    expect(await readFile(join(generated, name), 'utf8'), name).toBe(text);
  }
});

test('a document without a field that the client reads makes types that the client does not fit', {
  timeout: 240_000,
}, async () => {
  const document = JSON.parse(await readFile(join(root, 'specs/openapi/holdfast.json'), 'utf8'));
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-client-types-'));
  try {
    const copy = join(folder, 'clients/typescript');
    const isOwn = (path: string) => !path.includes('/adapters');
    await cp(join(client, 'src'), join(copy, 'src'), { recursive: true, filter: isOwn });
    await symlink(join(client, 'node_modules'), join(copy, 'node_modules'));
    for (const name of ['package.json', 'tsconfig.json']) await cp(join(client, name), join(copy, name));
    await cp(join(root, 'tsconfig.json'), join(folder, 'tsconfig.json'));
    expect(await compiled(copy)).toBe('');
    delete document.components.schemas.Step.properties.finishedAt;
    const files = await generate(JSON.stringify(document));
    for (const [name, text] of Object.entries(files)) await writeFile(join(copy, 'src/generated', name), text);
    expect(await compiled(copy)).toMatch(/run-step\.ts.*'finishedAt' does not exist/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** The complaints of the compiler. */
async function compiled(project: string): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const run = promisify(execFile)(process.execPath, [compiler, '-p', project]);
  return await run.then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout,
  );
}
