import { expect, test } from 'vitest';
import { firstRequest } from './first-request.ts';

const url = 'http://127.0.0.1:8080';
const curls = (text: string) => text.split('\n').filter((line) => line.includes('curl '));

test('where a key is needed every request sends it, and a line says to set it', () => {
  const text = firstRequest(url, { needsKey: true });
  expect(curls(text)).toHaveLength(3);
  for (const line of curls(text)) expect(line).toContain('-H "X-API-Key: $HOLDFAST_API_KEY"');
  expect(text).toContain('export HOLDFAST_API_KEY=');
});

test('where none is needed none is spoken of', () => {
  const text = firstRequest(url, { needsKey: false });
  expect(curls(text)).toHaveLength(3);
  expect(text).not.toContain('KEY');
});
