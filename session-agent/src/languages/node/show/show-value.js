import { inspect } from 'node:util';

const textCharactersMax = 1024 * 1024;

/** Returns the MIME bundle of a step's last value, or null for `undefined`. Throws if the value's own `inspect` throws. */
export function showValue(value) {
  if (value === undefined) return null;
  const text = inspect(value, { maxStringLength: textCharactersMax, showProxy: true });
  if (text.length <= textCharactersMax) return { 'text/plain': text };
  const rest = text.length - textCharactersMax;
  return { 'text/plain': `${text.slice(0, textCharactersMax)}… (${rest} more characters)` };
}
