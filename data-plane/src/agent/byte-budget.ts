import { AgentError } from './agent-error.ts';

/** The memory for what one step or one call has received. */
export type ByteShare = {
  /** The bytes that are in memory now. If that is too much, shares are evicted, perhaps this one. */
  set(bytes: number): void;
  close(): void;
};

type Share = { bytes: number; isEvicted: boolean; evict(error: AgentError): void };
type SessionShares = { bytes: number; shares: Set<Share>; evicted: AgentError | null };

/** A session cannot take all of a replica's memory, even if no other wants it now. */
const sessionPart = 0.75;

export type ByteBudget = ReturnType<typeof createByteBudget>;

/**
 * Bounds the memory for bytes from agents that are not yet durable. A session that has more than its part is evicted. If a replica has
 * no more room, the greediest session is evicted, whichever asked last: it alone can make room, and any other could be its victim.
 */
export function createByteBudget({ replicaBytesMax }: { replicaBytesMax: number }) {
  const sessionBytesMax = Math.floor(replicaBytesMax * sessionPart);
  const sessions = new Map<string, SessionShares>();
  let total = 0;
  const copies = new Set<Share>();
  let copied = 0;

  function add(session: SessionShares, share: Share, bytes: number): void {
    share.bytes += bytes;
    session.bytes += bytes;
    total += bytes;
  }

  function evict(session: SessionShares, message: string): void {
    session.evicted = new AgentError('excessive', message);
    for (const share of [...session.shares]) evictShare(share, session.evicted);
  }

  function evictShare(share: Share, error: AgentError): void {
    if (share.isEvicted) return;
    share.isEvicted = true;
    share.evict(error);
  }

  /** An evicted session gives its memory back soon, so it costs no other its place. */
  function makeRoom(session: SessionShares, share: Share): void {
    if (session.evicted) evictShare(share, session.evicted);
    else if (session.bytes > sessionBytesMax)
      evict(session, `the session has sent more than ${sessionBytesMax} bytes that are not yet recorded`);
    if (total <= replicaBytesMax) return;
    const others = [...sessions.values()]
      .filter(({ evicted }) => !evicted)
      .sort((one, other) => one.bytes - other.bytes);
    let bytes = others.reduce((sum, other) => sum + other.bytes, 0);
    while (bytes > replicaBytesMax) {
      const greediest = others.pop() as SessionShares;
      bytes -= greediest.bytes;
      evict(greediest, `the session has sent the most of ${replicaBytesMax} bytes that are not yet recorded`);
    }
  }

  /** Copies have the room that nothing else needs. The largest goes first. */
  function dropCopies(): void {
    while (copies.size > 0 && total + copied > replicaBytesMax) {
      const largest = [...copies].reduce((one, other) => (other.bytes > one.bytes ? other : one));
      copies.delete(largest);
      copied -= largest.bytes;
      evictShare(largest, new AgentError('excessive', 'the memory is needed for what is not yet recorded'));
    }
  }

  return {
    /** The bytes that still fit into the replica's memory. */
    get room() {
      return Math.max(0, replicaBytesMax - total);
    },

    /** Whether a session can have so many bytes more without anyone being evicted. */
    fits: (sessionId: string, bytes: number): boolean =>
      total + bytes <= replicaBytesMax && (sessions.get(sessionId)?.bytes ?? 0) + bytes <= sessionBytesMax,

    /** The number of shares of a session. */
    countOf: (sessionId: string): number => sessions.get(sessionId)?.shares.size ?? 0,

    /** @param evict called at most once, if the session has to give up its memory; it may set the share to what is left */
    open(sessionId: string, evict: Share['evict']): ByteShare {
      const session = sessions.get(sessionId) ?? { bytes: 0, shares: new Set<Share>(), evicted: null };
      const share: Share = { bytes: 0, isEvicted: false, evict };
      sessions.set(sessionId, session);
      session.shares.add(share);
      return {
        set(bytes) {
          if (!session.shares.has(share)) return;
          const more = bytes - share.bytes;
          add(session, share, more);
          if (more <= 0) return;
          dropCopies();
          makeRoom(session, share);
        },
        close() {
          if (!session.shares.delete(share)) return;
          add(session, share, -share.bytes);
          if (session.shares.size === 0) sessions.delete(sessionId);
        },
      };
    },

    /** As `open`, for bytes that are elsewhere as well. They cost no session its place: they are the first that have to go. */
    openCopy(evict: Share['evict']): ByteShare {
      const share: Share = { bytes: 0, isEvicted: false, evict };
      copies.add(share);
      const set = (bytes: number) => {
        if (!copies.has(share)) return;
        copied += bytes - share.bytes;
        share.bytes = bytes;
        dropCopies();
      };
      return {
        set,
        close() {
          set(0);
          copies.delete(share);
        },
      };
    },
  };
}
