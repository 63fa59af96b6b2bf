import { Problem } from './problems.ts';

/** From `start` up to, but not including, `end`. */
export type ByteRange = { start: number; end: number };

/**
 * The single range that a `Range` header asks for (RFC 9110, 14), or null if the whole file is to be sent: the header is missing,
 * malformed, in another unit, or a list of ranges. Pure.
 *
 * @throws Problem `range-not-satisfiable` if the range begins beyond the end
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
