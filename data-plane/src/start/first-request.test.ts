import { expect, test } from 'vitest';
import { firstRequest } from './first-request.ts';

const url = 'http://127.0.0.1:8080';
const curls = (text: string) => text.split('\n').filter((line) => line.includes('curl '));

test('every request sends the key if one is needed, and a line says how to set it', () => {
  const text = firstRequest(url, { needsKey: true });
  expect(curls(text)).toHaveLength(3);
  for (const line of curls(text)) expect(line).toContain('-H "X-API-Key: $HOLDFAST_API_KEY"');
  expect(text).toContain('export HOLDFAST_API_KEY=');
});

test('does not mention a key if none is needed', () => {
  const text = firstRequest(url, { needsKey: false });
  expect(curls(text)).toHaveLength(3);
  expect(text).not.toContain('KEY');
});
