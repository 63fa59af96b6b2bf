import { InvalidArgumentError } from 'commander';

/** A time in seconds, with fractions. */
export function seconds(value: string): number {
  const number = Number(value);
  if (!(number > 0) || value.trim() === '') throw new InvalidArgumentError('It is a number of seconds above 0.');
  return number;
}

/** A number above 0. */
export function whole(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It is a whole number above 0.');
  return Number(value);
}

/** `KEY=VALUE` of an option that may be given several times. */
export function pairs(value: string, before: Record<string, string> = {}): Record<string, string> {
  const at = value.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It is KEY=VALUE.');
  return { ...before, [value.slice(0, at)]: value.slice(at + 1) };
}

/** The byte that a terminal sends for Ctrl with a key. */
export function keyByte(value: string): number {
  const key = value.toLowerCase().replace(/^(?:ctrl-|\^)/, '');
  if (!/^[a-z\]\\^_]$/.test(key)) throw new InvalidArgumentError('It is a letter, or one of ] \\ ^ _.');
  return key.toUpperCase().charCodeAt(0) & 31;
}
