import type { Scan } from './scan-record.ts';

/** One path whose identity changed. `path` has one character for each byte (Latin-1); null is what is not there. */
export type Difference = { path: string; before: string | null; after: string | null };

/**
 * What changed from one scan to the next, in no order. Both come in the same order as long as little changes, so what is the same is
 * skipped as memory and only the rest is taken apart. Pure. Where the later scan is cut, what it lacks is not taken for deleted.
 */
export function compareScans(before: Scan, after: Scan): Difference[] {
  const [old, fresh] = differentRecords(before.records, after.records);
  const differences: Difference[] = [];
  for (const [path, identity] of fresh) {
    const known = old.get(path) ?? null;
    old.delete(path);
    if (known !== identity) differences.push({ path, before: known, after: identity });
  }
  if (after.isCut) return differences;
  for (const [path, identity] of old) differences.push({ path, before: identity, after: null });
  return differences;
}

/** Identities by path. */
type Records = Map<string, string>;

/** The records of each that the other has not at the same place. */
function differentRecords(one: Buffer, other: Buffer): [Records, Records] {
  const [old, fresh]: [Records, Records] = [new Map(), new Map()];
  for (let here = 0, there = 0; ; ) {
    const same = commonRecords(one.subarray(here), other.subarray(there));
    here += same;
    there += same;
    const mine = recordAt(one, here);
    const theirs = recordAt(other, there);
    if (!mine && !theirs) return [old, fresh];
    if (theirs && (!mine || mine.path === recordAt(other, theirs.end)?.path)) {
      fresh.set(theirs.path, theirs.identity);
      there = theirs.end;
    } else if (mine && (!theirs || theirs.path === recordAt(one, mine.end)?.path)) {
      old.set(mine.path, mine.identity);
      here = mine.end;
    } else if (mine && theirs && mine.path === theirs.path) {
      old.set(mine.path, mine.identity);
      fresh.set(theirs.path, theirs.identity);
      here = mine.end;
      there = theirs.end;
    } else {
      for (let rest = mine; rest; rest = recordAt(one, rest.end)) old.set(rest.path, rest.identity);
      for (let rest = theirs; rest; rest = recordAt(other, rest.end)) fresh.set(rest.path, rest.identity);
      return [old, fresh];
    }
  }
}

const pieceBytes = 4096;

/** The length of the records that both begin with. */
function commonRecords(one: Buffer, other: Buffer): number {
  const length = Math.min(one.length, other.length);
  let same = 0;
  while (same < length) {
    const next = Math.min(same + pieceBytes, length);
    if (one.compare(other, same, next, same, next) !== 0) break;
    same = next;
  }
  while (same < length && one[same] === other[same]) same += 1;
  return same === 0 ? 0 : one.lastIndexOf(0, same - 1) + 1;
}

function recordAt(records: Buffer, at: number): { path: string; identity: string; end: number } | null {
  if (at >= records.length) return null;
  const end = records.indexOf(0, at);
  const text = records.toString('latin1', at, end);
  const space = text.indexOf(' ');
  return { path: text.slice(space + 1), identity: text.slice(0, space), end: end + 1 };
}
