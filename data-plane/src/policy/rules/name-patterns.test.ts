import { expect, test } from 'vitest';
import { matchesName } from './name-patterns.ts';

test.each([
  ['world.read', 'world.read', true],
  ['world.read', 'world.reads', false],
  ['world.*', 'world.read', true],
  ['world.*', 'worldread', false],
  ['*', 'llm.complete', true],
  ['*.read', 'world.read', true],
  ['a*a', 'a', false],
  ['a*b*c', 'a-c-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['a*bc*c', 'abc', false],
  ['', 'a', false],
])('pattern %o on %o answers %o', (pattern, text, answer) => {
  expect(matchesName(pattern, text)).toBe(answer);
});
