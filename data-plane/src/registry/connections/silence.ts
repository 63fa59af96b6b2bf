import type postgres from 'postgres';

/**
 * Time is counted in ticks that this process has really lived through. After a process was stopped or blocked, the answers that came
 * meanwhile are read before the next tick; by the clock, the database would seem to have been silent.
 */
export const tickMs = 500;

/** A probe is sent once nothing was heard for a whole tick. */
const askTicks = 2;

/** Two seconds after the probe. */
const awayTicks = askTicks + 4;

/** From here on no answer is expected any more, and the connections are given up. */
const hopelessTicks = 9;

/** A probe that is older than this is sent again on another connection: TCP repeats lost packets less and less often. */
const probeTicksMax = 10;

/**
 * Notices a database that is silent: nothing has come from it for two seconds, neither the answer to a statement nor the one to a probe
 * on a connection of its own. While one statement is slow the probe is answered, and a refusal is an answer, too.
 */
export function createSilence(open: () => postgres.Sql) {
  let ticks = 0;
  let probe: postgres.Sql | null = null;
  /** How long the probe under way has waited; null if there is none. */
  let probeTicks: number | null = null;

  function ask(): void {
    const asked = probe ?? open();
    probe = asked;
    probeTicks = 0;
    const settle = (heard: boolean, reusable: boolean) => {
      if (probe !== asked) return;
      probeTicks = null;
      if (heard) ticks = 0;
      if (!reusable) drop();
    };
    asked`select 1`.then(
      () => settle(true, true),
      (error) => settle(isAnswer(error), false),
    );
  }

  function drop(): Promise<void> | undefined {
    const dropped = probe?.end({ timeout: 0 });
    probe = probeTicks = null;
    return dropped;
  }

  return {
    /** Something has come from the database. */
    heard(): void {
      ticks = 0;
    },
    /** Called for each tick in which an answer is awaited, and while the database is away. */
    tick(): void {
      ticks += 1;
      if (probeTicks !== null && ++probeTicks > probeTicksMax) void drop();
      if (probeTicks === null && ticks >= askTicks) ask();
    },
    get isAway(): boolean {
      return ticks >= awayTicks;
    },
    get isHopeless(): boolean {
      return ticks >= hopelessTicks;
    },
    async close(): Promise<void> {
      await drop();
    },
  };
}

/** A name that cannot be resolved says nothing about the connections that exist. */
const isAnswer = (error: Error): boolean =>
  'severity' in error || ('syscall' in error && error.syscall === 'getaddrinfo');
