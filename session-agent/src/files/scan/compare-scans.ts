import { directoryRecord, isUnreadable, type Scan } from './scan-record.ts';

/** A path whose version changed. `path` has one character for each byte (Latin-1); null means that nothing was there. */
export type Difference = { path: string; before: string | null; after: string | null };

/**
 * Lists the changes from one scan to the next, unsorted. Both scans have the same order as long as little changes, so equal stretches are
 * compared as memory and only the rest is parsed. If the later scan is cut, entries missing from it do not count as deleted. Pure.
 */
export function compareScans(before: Scan, after: Scan): Difference[] {
  const [old, fresh] = differentRecords(before.records, after.records);
  const differences: Difference[] = [];
  for (const [path, version] of fresh) {
    const known = old.get(path) ?? null;
    old.delete(path);
    if (known !== version) differences.push({ path, before: known, after: version });
  }
  if (after.isCut) return differences;
  for (const [path, version] of old) differences.push({ path, before: version, after: null });
  return differences;
}

const unreadableMark = directoryRecord('', false).slice(0, -1);

/**
 * The later scan, with the entries that the earlier one has in directories which cannot be read any more. They count as unchanged as long as that
 * is so, and the comparison after it finds those that are gone. Pure.
 */
export function withClosed(before: Scan | null, after: Scan): Scan {
  if (!before || !after.records.includes(unreadableMark)) return after;
  const closed = new Set<string>();
  for (const { path, version } of recordsIn(after.records)) if (isUnreadable(version)) closed.add(path);
  const kept: Buffer[] = [];
  for (const { path, start, end } of recordsIn(before.records)) {
    if (isBelow(path, closed)) kept.push(before.records.subarray(start, end));
  }
  return { ...after, records: Buffer.concat([after.records, ...kept]), count: after.count + kept.length };
}

function isBelow(path: string, directories: ReadonlySet<string>): boolean {
  if (directories.size === 0) return false;
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (directories.has(path.slice(0, end))) return true;
  }
  return false;
}

function* recordsIn(records: Buffer) {
  for (let start = 0, record = recordAt(records, 0); record; record = recordAt(records, start)) {
    yield { ...record, start };
    start = record.end;
  }
}

/** Versions by path. */
type Records = Map<string, string>;

/** The records of each scan that the other does not have at the same position. */
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
      fresh.set(theirs.path, theirs.version);
      there = theirs.end;
    } else if (mine && (!theirs || theirs.path === recordAt(one, mine.end)?.path)) {
      old.set(mine.path, mine.version);
      here = mine.end;
    } else if (mine && theirs && mine.path === theirs.path) {
      old.set(mine.path, mine.version);
      fresh.set(theirs.path, theirs.version);
      here = mine.end;
      there = theirs.end;
    } else {
      for (let rest = mine; rest; rest = recordAt(one, rest.end)) old.set(rest.path, rest.version);
      for (let rest = theirs; rest; rest = recordAt(other, rest.end)) fresh.set(rest.path, rest.version);
      return [old, fresh];
    }
  }
}

const pieceBytes = 4096;

/** The length of the records with which both begin. */
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

function recordAt(records: Buffer, at: number): { path: string; version: string; end: number } | null {
  if (at >= records.length) return null;
  const end = records.indexOf(0, at);
  const text = records.toString('latin1', at, end);
  const space = text.indexOf(' ');
  return { path: text.slice(space + 1), version: text.slice(0, space), end: end + 1 };
}
