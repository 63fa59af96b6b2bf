import { expect, test } from 'vitest';
import { z } from 'zod';
import { createPace } from './pace.ts';
import { parseAnswer } from './parse-answer.ts';
import { jsonWeight, parseJson, splitList } from './parse-json.ts';

const item = z.object({ name: z.string() });
const schema = z.object({ items: z.array(item), truncated: z.boolean() });
const list = { key: 'items', item, itemsMax: 100 };
const parse = (text: string, form: object = { list }) =>
  parseAnswer(Buffer.from(text), { schema, of: 'GET /', peer: 'a', pace: createPace(), ...form });
const invalid = expect.objectContaining({ name: 'AgentError', kind: 'invalid' });

test.each([
  '{"items":[{"name":"a"},{"name":"],\\"b{"}],"truncated":false}',
  ' { "truncated" : false , "items" : [ {"name":"a"} , {"name":"],\\"b{"} ] } ',
  '{"x":{"items":[1]},"items":[{"name":"a","y":[[{}]]},{"name":"],\\"b{"}],"truncated":false}',
])('reads a list item by item as it would be read at once: %s', async (text) => {
  const answer = { items: [{ name: 'a' }, { name: '],"b{' }], truncated: false };
  expect(await parse(text)).toEqual(answer);
  expect(await parse(text, {})).toEqual(answer);
});

test('reads a list without items', async () => {
  for (const items of ['[]', '[ ]'])
    expect(await parse(`{"items":${items},"truncated":true}`)).toEqual({ items: [], truncated: true });
});

test.each([
  ['no list', '{"truncated":false}'],
  ['a list that does not end', '{"items":[{"name":"a"},'],
  ['a missing item', '{"items":[{"name":"a"},,{"name":"b"}],"truncated":false}'],
  ['an item after the last comma', '{"items":[{"name":"a"},],"truncated":false}'],
  ['an item of another form', '{"items":[{"name":1}],"truncated":false}'],
  ['a rest of another form', '{"items":[],"truncated":1}'],
  ['too many items', `{"items":[${'{"name":"a"},'.repeat(100)}{"name":"a"}],"truncated":false}`],
  ['a text after the object', '{"items":[],"truncated":false}]'],
  ['nothing', ''],
])('rejects %s', async (_, text) => {
  await expect(parse(text)).rejects.toEqual(invalid);
});

test('does not parse a text whose structure would take long', async () => {
  const keys = Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`).join();
  await expect(parse(`{"items":[],"truncated":false,${keys}}`, {})).rejects.toEqual(invalid);
  await expect(parse(`{"items":[{${keys}}],"truncated":false}`)).rejects.toEqual(invalid);
});

test('weighs structure and not what is in strings', () => {
  expect(jsonWeight(Buffer.from(JSON.stringify('[{,:}]\\"[,'.repeat(1000))))).toBe(0);
  expect(jsonWeight(Buffer.from('[1,[2,3],{"a":4}]'))).toBe(3 + 3 * 2 + 20);
});

test('rejects values that are nested too deep for JSON.stringify', () => {
  const nested = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth));
  expect(parseJson(nested(200), { weightMax: 1000 })).toHaveLength(1);
  expect(() => parseJson(nested(201), { weightMax: 1000 })).toThrow();
  expect(() => [...splitList(nested(201), { key: 'items', itemsMax: 1 })]).toThrow('nested');
});
