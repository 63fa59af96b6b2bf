import { posix } from 'node:path';
import { policyPresets } from '@holdfast/specs/public';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide } from './decide.ts';

const { unrestricted } = policyPresets;

/** The oracle's own way to match: a regular expression. */
const expression = (pattern: string, translate: (part: string) => string, flags = 'su') =>
  new RegExp(
    `^${pattern
      .split(/(\*\*\/|\*\*|\*)/)
      .map(translate)
      .join('')}$`,
    flags,
  );
const literal = (part: string) => part.replaceAll('.', '\\.');
const nameExpression = (pattern: string, flags?: string) =>
  expression(pattern, (part) => (part.startsWith('*') ? '.*' : literal(part)), flags);
const pathParts: Record<string, string> = { '**/': '(?:[^/]+/)*', '**': '.+', '*': '[^/]*' };
const pathExpression = (pattern: string) => expression(pattern, (part) => pathParts[part] ?? literal(part));

/** How other programs, file systems and people may read a path. */
function readingsOf(path: string): string[] {
  const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'].map((form) => path.normalize(form));
  const separated = forms.flatMap((form) => [form, form.replace(/[\\\u2215\u2044\u29f8]/gu, '/')]);
  const bare = separated.flatMap((form) => [form, form.replace(/[\u200b-\u200f\u202a-\u202e\ufeff\u00ad]/gu, '')]);
  const cut = bare.flatMap((form) => [form, form.split('\0')[0] ?? '']);
  const trimmed = cut.flatMap((form) => [
    form,
    form
      .split('/')
      .map((name) => (/^\.+$/.test(name) ? name : name.replace(/[. ]+$/, '')))
      .join('/'),
  ]);
  return trimmed.flatMap((form) => [form, posix.normalize(form)]).map((form) => form.normalize('NFC'));
}

const mayPass = (patterns: readonly string[], path: string) =>
  readingsOf(path).every((reading) => patterns.some((pattern) => pathExpression(pattern).test(reading)));

const plainNames = ['src', 'lib', 'a', 'a.py', '\u00e9', '.env'];
const oddNames = [
  'SRC',
  'e\u0301',
  '..',
  '.',
  '...',
  '. .',
  ' ',
  'a.',
  'a ',
  '\uff0e\uff0e',
  '\u2024\u2024',
  'a\u2215b',
];
const oddJoints = ['//', '/./', '/../', '\\', '\uff0f', '\u2215', '\u2044', '\0', '\u200b', '\ufeff', ''];
/** Most parts are plain, so that many of the paths are, too. */
const mostly = (plain: readonly string[], odd: readonly string[]) =>
  fc.oneof({ arbitrary: fc.constantFrom(...plain), weight: 6 }, { arbitrary: fc.constantFrom(...odd), weight: 1 });
const path = fc
  .array(fc.tuple(mostly(plainNames, oddNames), mostly(['/'], oddJoints)), { minLength: 1, maxLength: 4 })
  .chain((parts) => mostly([''], ['/', '.', ' ']).map((end) => parts.flat().slice(0, -1).join('') + end));
const pathPattern = fc
  .array(fc.constantFrom('src', 'lib', 'a', '*', '**', '*.py', 'a*', '\u00e9', '*.*'), { minLength: 1, maxLength: 4 })
  .map((names) => names.join('/'))
  .filter((pattern) => pattern !== '**');

test('passes no path of 20,000 in which some reader sees a path that no pattern allows', () => {
  const seen = { passed: 0, denied: 0 };
  fc.assert(
    fc.property(fc.array(pathPattern, { minLength: 1, maxLength: 3 }), path, (patterns, one) => {
      const world = { ...unrestricted.world, readPatterns: patterns, writePatterns: patterns };
      for (const operation of ['world.read', 'world.write']) {
        const { allowed } = decide({ ...unrestricted, world }, { operation, path: one });
        seen[allowed ? 'passed' : 'denied'] += 1;
        if (allowed) expect(mayPass(patterns, one), JSON.stringify({ patterns, one })).toBe(true);
      }
    }),
    { seed: 1045, numRuns: 20_000 },
  );
  expect(seen.passed).toBeGreaterThan(1000);
  expect(seen.denied).toBeGreaterThan(10_000);
});

test('passes every path of plain names that a pattern allows', () => {
  const plain = fc.array(fc.constantFrom(...plainNames, 'ab'), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(pathPattern, plain, (pattern, names) => {
      const asked = { operation: 'world.write', path: names.join('/') };
      const policy = { ...unrestricted, world: { ...unrestricted.world, writePatterns: [pattern] } };
      expect(decide(policy, asked).allowed).toBe(pathExpression(pattern).test(asked.path));
    }),
    { seed: 2045, numRuns: 5000 },
  );
});

const oddOperationParts = ['..', '/', ' ', '\0', '*', '\uff0e', '\u212a', '\u017f', '.\n'];
const operation = fc
  .array(
    fc.tuple(fc.constantFrom('world', 'World', 'read', 'WRITE', 'write', 'x', '-'), mostly(['.'], oddOperationParts)),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .chain((parts) => mostly([''], ['.', ' ', '\n']).map((end) => parts.flat().slice(0, -1).join('') + end));
const operationPattern = fc
  .array(fc.constantFrom('world', 'read', 'write', 'W', 'x', '.', '*', '-'), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join(''));

test('passes no operation of 20,000 that a pattern denies in some case, that none allows, or whose name is not one', () => {
  const seen = { passed: 0, denied: 0 };
  const lists = fc.tuple(fc.array(operationPattern, { maxLength: 2 }), fc.array(operationPattern, { maxLength: 2 }));
  fc.assert(
    fc.property(lists, operation, ([allowedOperations, deniedOperations], one) => {
      const policy = { ...unrestricted, allowedOperations: ['world*', ...allowedOperations], deniedOperations };
      const { allowed } = decide(policy, { operation: one });
      seen[allowed ? 'passed' : 'denied'] += 1;
      const isName = /^[\w-]+(\.[\w-]+)*$/.test(one) && !one.endsWith('\n');
      const isAllowed = policy.allowedOperations.some((pattern) => nameExpression(pattern).test(one));
      const isDenied = deniedOperations.some((pattern) => nameExpression(pattern, 'isu').test(one));
      expect(allowed, JSON.stringify({ policy, one })).toBe(isName && isAllowed && !isDenied);
    }),
    { seed: 3045, numRuns: 20_000 },
  );
  expect(seen.passed).toBeGreaterThan(1000);
  expect(seen.denied).toBeGreaterThan(5000);
});
