import { expect, test } from 'vitest';
import * as z from 'zod';
import * as contract from '../index.ts';
import { faultWords } from './fault-words.ts';
import { invalidRequest } from './problems.ts';

/** How sentences of zod's own begin, or go on. */
const ofZod = /Invalid |Too (big|small)|Unrecognized |, received |expected |No matching/;

const schemas = Object.entries(contract).flatMap(([name, value]) =>
  value instanceof z.ZodType ? [{ name, schema: value as z.ZodType }] : [],
);

const values: readonly unknown[] = [
  ...[undefined, null, true, 5, -1, 0.5, 1e12, Number.NaN, Number.POSITIVE_INFINITY, 7n],
  ...['', 'x', 'a\0b', '../x', ' '.repeat(3), '2026-13-45', 'x'.repeat(100_000), new Date(Number.NaN)],
  ...[[], [5], Array.from({ length: 5000 }, () => 'a'), {}, { x: 1 }, { '': 1, ['k'.repeat(5000)]: 'v' }],
];

const depthMax = 3;

/** Values that the schema should refuse: each of `values`, in its place and in that of each field. */
function* hostile(schema: unknown, depth = 0): Generator<unknown> {
  yield* values;
  if (depth === depthMax) return;
  const fields = fieldsOf(schema);
  for (const [name, field] of Object.entries(fields)) {
    for (const value of hostile(field, depth + 1)) yield { [name]: value };
  }
  for (const tag of tagsOf(schema)) yield tag;
}

function fieldsOf(schema: unknown): Record<string, unknown> {
  if (schema instanceof z.ZodObject) return schema.shape;
  if (schema instanceof z.ZodUnion) return Object.assign({}, ...schema.options.map(fieldsOf));
  const { innerType, in: input } = (schema as z.ZodType)._zod.def as { innerType?: unknown; in?: unknown };
  return innerType || input ? fieldsOf(innerType ?? input) : {};
}

/** Values with nothing but the field that chooses between forms. */
const tagsOf = (schema: unknown): object[] =>
  schema instanceof z.ZodDiscriminatedUnion
    ? [{ [schema.def.discriminator]: 'x' }, { [schema.def.discriminator]: 5 }]
    : [];

function wordsFor(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value, { error: faultWords });
  return error ? (invalidRequest(error).options.errors ?? []).map(({ detail }) => detail) : [];
}

test.each(schemas)('no fault of $name has the words of the library', ({ schema }) => {
  const words = new Set<string>();
  for (const value of hostile(schema)) for (const detail of wordsFor(schema, value)) words.add(detail);
  expect([...words].filter((detail) => ofZod.test(detail))).toEqual([]);
});

test('every kind of fault has words', () => {
  const count = z.record(z.string().max(1), z.bigint().min(2n));
  const cases: [z.ZodType, unknown, string][] = [
    [z.string(), undefined, 'is required'],
    [z.int(), 0.5, 'must be an integer'],
    [z.boolean(), 1, 'must be true or false'],
    [z.enum(['a', 'b']), 'c', 'must be one of "a", "b"'],
    [z.literal('a'), 'c', 'must be "a"'],
    [z.string().min(1), '', 'must have at least 1 character'],
    [z.string().length(3), 'a', 'must have exactly 3 characters'],
    [z.array(z.number()).max(2), [1, 2, 3], 'must have at most 2 items'],
    [z.number().lt(2), 2, 'must be less than 2'],
    [z.number().multipleOf(5), 3, 'must be a multiple of 5'],
    [count, { a: 1n }, 'must be at least 2'],
    [count, { ab: 2n }, 'must have at most 1 character'],
    [z.date().min(new Date(0)), new Date(-1), 'must be at least 1970-01-01T00:00:00.000Z'],
    [z.iso.datetime(), 'x', 'must be a date and time as in RFC 3339'],
    [z.string().startsWith('ab'), 'x', 'must begin with "ab"'],
    [z.string().regex(/^a$/), 'x', 'must match /^a$/'],
    [z.union([z.string(), z.null()]), 5, 'must be a string; or: must be null'],
    [
      z.discriminatedUnion('t', [z.object({ t: z.literal('a') }), z.object({ t: z.literal('b') })]),
      { t: 'c' },
      'must be one of "a", "b"',
    ],
    [z.string().refine(() => false), 'x', 'is not valid'],
    [z.strictObject({}), { x: 1 }, 'unknown field'],
  ];
  for (const [schema, value, words] of cases) expect(wordsFor(schema, value)).toEqual([words]);
});
