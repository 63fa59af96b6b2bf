import type { Database } from '../registry/connect.ts';
import { findOpenPorts, type OpenPort as OpenPortRow } from '../registry/ports/find-open-ports.ts';
import type { Place } from './preview-hosts.ts';

/** `endsAtMs` is of `performance.now()`. */
export type OpenPort = OpenPortRow & { endsAtMs: number };

/** How long a replica goes on admitting visitors to a port that was closed on another one. */
const rememberedMs = 2000;
const rememberedMax = 10_000;

/** Between the beginnings of two queries, and the names in one: visits that are refused wait for a query together. */
const betweenMs = 20;
const togetherMax = 500;
/** Queries under way: a slow database gets more names with each, and not more queries. */
const queriesMax = 2;

export type OpenPorts = ReturnType<typeof createOpenPorts>;

/** The ports that are open, as this replica read them a moment ago: a page asks for many files at once. */
export function createOpenPorts(deps: { db: Database }) {
  const remembered = new Map<string, { found: Promise<OpenPort[]>; untilMs: number }>();
  /** Those that the next query is to read. */
  const wanted = new Map<string, Wanted>();
  let lastMs = Number.NEGATIVE_INFINITY;
  let isReadingSoon = false;
  let queries = 0;

  function readSoon(): void {
    if (isReadingSoon || queries >= queriesMax) return;
    isReadingSoon = true;
    setTimeout(() => void readTogether(), Math.max(0, lastMs + betweenMs - performance.now()));
  }

  async function readTogether(): Promise<void> {
    isReadingSoon = false;
    const beganMs = performance.now();
    lastMs = beganMs;
    queries += 1;
    const together = [...wanted].slice(0, togetherMax);
    for (const [name] of together) wanted.delete(name);
    if (wanted.size > 0) readSoon();
    try {
      const rows = await findOpenPorts(
        deps.db,
        together.map(([, { place }]) => place),
      );
      const open = Map.groupBy(
        // Counted from before the query: a replica may sleep until it reads the answer.
        rows.map((row) => ({ ...row, endsAtMs: beganMs + row.leftMs })),
        nameOf,
      );
      for (const [name, { found }] of together) found.resolve(open.get(name) ?? []);
    } catch (error) {
      for (const [, { found }] of together) found.reject(error);
    } finally {
      queries -= 1;
      if (wanted.size > 0) readSoon();
    }
  }

  return {
    /** All that is open of one port of a session, as it was read a moment ago at most. */
    async find(place: Place): Promise<OpenPort[]> {
      const known = remembered.get(nameOf(place));
      const nowMs = performance.now();
      if (known && known.untilMs > nowMs) return (await known.found).filter(({ endsAtMs }) => endsAtMs > nowMs);
      return await this.findAnew(place);
    },

    /** The same as it is now: it may have been opened on another replica just now. */
    async findAnew({ sessionId, port }: Place): Promise<OpenPort[]> {
      const place = { sessionId, port };
      const name = nameOf(place);
      const waited = wanted.get(name);
      if (waited) return await waited.found.promise;
      const found = Promise.withResolvers<OpenPort[]>();
      wanted.set(name, { place, found });
      readSoon();
      if (remembered.size >= rememberedMax) remembered.clear();
      remembered.set(name, { found: found.promise, untilMs: performance.now() + rememberedMs });
      found.promise.catch(() => remembered.delete(name));
      return await found.promise;
    },

    /** After a change on this replica. */
    forget(place: Place): void {
      remembered.delete(nameOf(place));
    },
  };
}

type Wanted = { place: Place; found: PromiseWithResolvers<OpenPort[]> };

const nameOf = ({ sessionId, port }: Place) => `${port}-${sessionId}`;
