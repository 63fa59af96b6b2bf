import { Problem } from './problems.ts';

/** From `start` to before `end`. */
export type ByteRange = { start: number; end: number };

/**
 * The one range that a `Range` header asks for (RFC 9110, 14), null where the whole is to be sent: no header, another unit, a list of
 * ranges, or what is no range. Pure.
 *
 * @throws Problem `range-not-satisfiable` where it begins behind the end
 */
export function byteRange(header: string | undefined, size: number): ByteRange | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return null;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  if (start >= size) throw new Problem('range-not-satisfiable', { detail: `the file has ${size} bytes` });
  return { start, end };
}
