import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generate } from '../clients/typescript/generate.ts';

const generated = join(import.meta.dirname, '../clients/typescript/src/generated');

test('the TypeScript client has the types of the OpenAPI document (`npm run openapi`)', async () => {
  const files = await generate();
  expect(Object.keys(files)).toContain('api.ts');
  for (const [name, text] of Object.entries(files)) {
    expect(await readFile(join(generated, name), 'utf8'), name).toBe(text);
  }
});
