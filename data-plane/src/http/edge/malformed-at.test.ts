import fc from 'fast-check';
import { expect, test } from 'vitest';
import { malformedAt } from './malformed-at.ts';

const engineAccepts = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test.each([
  ['', 'line 1, column 1'],
  ['{', 'line 1, column 2'],
  ['{"a": 1,}', 'line 1, column 9'],
  ['{"a": secret}', 'line 1, column 7'],
  ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3'],
  ['[1, 2', 'line 1, column 6'],
  ['{"a": "no end', 'line 1, column 7'],
  ['01', 'line 1, column 2'],
  ['1 2', 'line 1, column 3'],
  ["{'a': 1}", 'line 1, column 2'],
  ['{"a" 1}', 'line 1, column 6'],
  ['"\t"', 'line 1, column 1'],
  ['"\\x"', 'line 1, column 1'],
])('%j is malformed at %s', (text, place) => {
  expect(malformedAt(text)).toBe(place);
});

test('it finds a fault exactly where the engine does: in every text that JSON.parse refuses, and in no other', () => {
  const mutilated = fc
    .tuple(fc.json(), fc.nat(), fc.nat(3), fc.string({ maxLength: 3 }))
    .map(([json, at, cut, put]) => {
      const place = at % (json.length + 1);
      return json.slice(0, place) + put + json.slice(place + cut);
    });
  fc.assert(
    fc.property(fc.oneof(fc.json(), mutilated), (text) => (malformedAt(text) === null) === engineAccepts(text)),
    { numRuns: 2000 },
  );
});

test('a string of megabytes without an end is found in linear time', () => {
  expect(malformedAt(`["${'a\\n'.repeat(1_000_000)}`)).toBe('line 1, column 2');
});
