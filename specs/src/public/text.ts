import * as z from 'zod';

/**
 * A string that can be stored and sent on as it is: no NUL (Postgres text cannot hold it) and no lone surrogate
 * (UTF-8 cannot). `max` counts UTF-16 code units.
 */
export function text(max: number) {
  return z
    .string()
    .max(max)
    .refine((value) => !value.includes('\0'), 'must not contain NUL')
    .refine((value) => value.isWellFormed(), 'must not contain a lone surrogate');
}

/** A text of somebody else's as one that can be stored: what cannot becomes U+FFFD, what goes beyond `max` code units is cut. */
export const storable = (value: string, max = 2048): string =>
  value.slice(0, max).replaceAll('\0', '\uFFFD').toWellFormed();
