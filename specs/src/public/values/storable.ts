import * as z from 'zod';

/**
 * A string that can be stored and sent on unchanged: no NUL (Postgres text cannot hold it) and no lone surrogate (UTF-8 cannot).
 * `max` counts UTF-16 code units.
 */
export function text(max: number) {
  return z
    .string()
    .max(max)
    .refine((value) => !value.includes('\0'), 'must not contain NUL')
    .refine((value) => value.isWellFormed(), 'must not contain a lone surrogate');
}

/** Makes a text from an untrusted source storable: replaces NUL and lone surrogates by U+FFFD and cuts it after `max` code units. */
export const storable = (value: string, max = 2048): string =>
  value.slice(0, max).replaceAll('\0', '\uFFFD').toWellFormed();

/** The largest `integer` of Postgres. */
export const int4Max = 2_147_483_647;

/** A whole number that the registry can store. An agent is not trusted, and a larger number would prevent a step's end from being recorded. */
export const int4 = (min: number) => z.number().int().min(min).max(int4Max);

/** Rejects the key `__proto__`, which a record schema drops silently. */
export const rejectProtoKey = <Schema extends z.ZodType>(record: Schema) =>
  z.preprocess((value, context) => {
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__'))
      context.addIssue({ code: 'custom', path: ['__proto__'], message: 'must not be used as a key' });
    return value;
  }, record);
