import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { jsonOf, yamlOf } from './structured.ts';

const hostile = { name: 'k\u009b31m\u202e', text: 'a\u001b[2J\nb', '\u009bkey': ['日本', '\u007f'] };

const controls = /\p{Cc}|\p{Bidi_Control}/u;

test('JSON has no control characters, and says the same', () => {
  expect(jsonOf(hostile)).not.toMatch(controls);
  expect(JSON.parse(jsonOf(hostile, 2))).toEqual(hostile);
});

test('YAML has no control characters, and says the same', async () => {
  const text = await yamlOf(hostile);
  expect(text.replaceAll('\n', '')).not.toMatch(controls);
  expect(parse(text)).toEqual(hostile);
});
