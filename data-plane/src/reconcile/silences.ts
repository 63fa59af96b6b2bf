type SilencesOptions = {
  /** How long a silence must last. */
  lastsMs: number;
  /** A longer time without a probe proves nothing. */
  gapMsMax: number;
  /** Since when this process has been awake. */
  awakeSinceMs(): number;
};

type Silence = { sinceMs: number; probedAtMs: number; probes: number };

const probesMin = 3;

/**
 * The agents that do not answer this replica, by the uid of their sandbox. A silence lasts from the first of several probes in a row that failed, all
 * of them while this process was awake: a replica that was stopped has heard nothing, and that says nothing about the agents. Times are
 * those of `performance.now()`.
 */
export function createSilences({ lastsMs, gapMsMax, awakeSinceMs }: SilencesOptions) {
  const byUid = new Map<string, Silence>();

  return {
    /** A probe that began at this time was not answered. */
    failed(uid: string, askedAtMs: number): void {
      const known = byUid.get(uid);
      const goesOn = known && known.sinceMs >= awakeSinceMs() && askedAtMs - known.probedAtMs <= gapMsMax;
      if (askedAtMs < awakeSinceMs()) byUid.delete(uid);
      else if (goesOn) byUid.set(uid, { ...known, probedAtMs: askedAtMs, probes: known.probes + 1 });
      else byUid.set(uid, { sinceMs: askedAtMs, probedAtMs: askedAtMs, probes: 1 });
    },

    answered(uid: string): void {
      byUid.delete(uid);
    },

    /** Whether the agent has been silent for long enough. */
    hasLasted(uid: string, nowMs: number): boolean {
      const silence = byUid.get(uid);
      if (!silence || silence.sinceMs < awakeSinceMs()) return false;
      return silence.probes >= probesMin && nowMs - silence.sinceMs >= lastsMs;
    },

    /** Forgets all others. */
    keep(uids: ReadonlySet<string>): void {
      for (const uid of byUid.keys()) if (!uids.has(uid)) byUid.delete(uid);
    },

    get uids(): string[] {
      return [...byUid.keys()];
    },
  };
}

export type Silences = ReturnType<typeof createSilences>;
