import type { Database } from '../registry/connect.ts';
import { findOpenPorts, type OpenPort as OpenPortRow } from '../registry/ports/find-open-ports.ts';
import type { Place } from './preview-hosts.ts';

/** `endsAtMs` is of `performance.now()`. */
export type OpenPort = OpenPortRow & { endsAtMs: number };

/** How long a replica goes on admitting visitors to a port that was closed on another one. */
const rememberedMs = 2000;
const rememberedMax = 10_000;

export type OpenPorts = ReturnType<typeof createOpenPorts>;

/** The ports that are open, as this replica read them a moment ago: a page asks for many files at once. */
export function createOpenPorts({ db }: { db: Database }) {
  const remembered = new Map<string, { found: Promise<OpenPort[]>; untilMs: number }>();

  async function read(place: Place): Promise<OpenPort[]> {
    const rows = await findOpenPorts(db, place);
    return rows.map((row) => ({ ...row, endsAtMs: performance.now() + row.leftMs }));
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
    async findAnew(place: Place): Promise<OpenPort[]> {
      const name = nameOf(place);
      if (remembered.size >= rememberedMax) remembered.clear();
      const found = read(place);
      remembered.set(name, { found, untilMs: performance.now() + rememberedMs });
      found.catch(() => remembered.delete(name));
      return await found;
    },

    /** After a change on this replica. */
    forget(place: Place): void {
      remembered.delete(nameOf(place));
    },
  };
}

const nameOf = ({ sessionId, port }: Place) => `${port}-${sessionId}`;
