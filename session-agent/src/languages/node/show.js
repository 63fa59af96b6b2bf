import { inspect } from 'node:util';

const textCharactersMax = 1024 * 1024;

/** The MIME bundle of a value, or null for `undefined`, which is not shown. Throws what the value's own `inspect` throws. */
export function show(value) {
  if (value === undefined) return null;
  const text = inspect(value, { maxStringLength: textCharactersMax, showProxy: true });
  if (text.length <= textCharactersMax) return { 'text/plain': text };
  const rest = text.length - textCharactersMax;
  return { 'text/plain': `${text.slice(0, textCharactersMax)}… (${rest} more characters)` };
}
