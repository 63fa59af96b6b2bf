import type { Random } from '../random.ts';
import { createRandom } from '../random.ts';
import { type Fault, type FaultKind, type FaultRecord, type Lane, lanes, type Stage } from './fault.ts';
import { postgresFaults } from './postgres-faults.ts';
import { replicaFaults } from './replica-faults.ts';
import { sandboxFaults } from './sandbox-faults.ts';

type RunInput = {
  stage: Stage;
  seed: string;
  seconds: number;
  /** Only these kinds, to look for one fault. */
  kinds: readonly FaultKind[];
  stop: AbortSignal;
  say(line: string): void;
};

export const timesMin = 2;

const faults: Record<FaultKind, Fault> = { ...postgresFaults, ...replicaFaults, ...sandboxFaults };
const gapMs = { postgres: 2500, replicas: 1500, connections: 6000, sandboxes: 1500 } satisfies Record<Lane, number>;
/** The time that is added for kinds that have not happened twice. */
const overtimeMs = 60_000;

/** The order of a lane: its kinds again and again, each time shuffled by the seed. Pure. */
export function* orderOf(kinds: readonly FaultKind[], random: Random): Generator<FaultKind> {
  while (kinds.length > 0) yield* random.shuffled(kinds);
}

/** Makes faults in all lanes until the time is over and each kind has happened twice. */
export async function runFaults({ stage, seed, seconds, kinds, stop, say }: RunInput): Promise<FaultRecord[]> {
  const records: FaultRecord[] = [];
  const until = Date.now() + seconds * 1000;
  const hold = (ms: number) => sleep(ms, stop);

  await Promise.all(
    (Object.keys(lanes) as Lane[]).map(async (lane) => {
      const random = createRandom(`${seed}/faults/${lane}`);
      const inLane = lanes[lane].filter((kind) => kinds.includes(kind));
      const attempts = new Map<FaultKind, number>();
      const isShort = (kind: FaultKind) =>
        records.filter((record) => record.kind === kind).length < timesMin && Date.now() < until + overtimeMs;
      for (const kind of orderOf(inLane, random)) {
        if (stop.aborted || (Date.now() >= until && !inLane.some(isShort))) return;
        if (Date.now() >= until && !isShort(kind)) continue;
        const round = attempts.get(kind) ?? 0;
        attempts.set(kind, round + 1);
        const from = Date.now();
        const happened = await faults[kind]({ stage, random, round, hold }).catch((error) => {
          say(`${kind} could not be made: ${error}`);
          return null;
        });
        if (happened) {
          records.push({ kind, ...happened, from, until: Date.now() });
          say(`${kind} of ${happened.target}: ${happened.proof}`);
        }
        await hold(gapMs[lane] * random.between(0.7, 1.3));
      }
    }),
  );
  return records.toSorted((a, b) => a.from - b.from);
}

function sleep(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, stop.aborted ? 0 : ms);
    stop.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      stop.removeEventListener('abort', done);
      resolve();
    }
  });
}
