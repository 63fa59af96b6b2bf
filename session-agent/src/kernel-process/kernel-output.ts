import type { Socket } from 'node:net';
import { countRead } from './count-read.ts';
import { type NamedFifos, nameFifos } from './fifos.ts';
import type { KernelOptions, Stream } from './kernel.ts';
import { settledWithin } from './settled-within.ts';
import { type StepStream, stepStream } from './step-stream.ts';

const olderMax = 8;

type Readers = { stdout: Socket; stderr: Socket };

type Pair = Readers & {
  cuts: Record<Stream, StepStream>;
  /** The last step that wrote here: what comes after its end is its background output. */
  stepId: string | null;
  /** Whether anything came. */
  isUsed: boolean;
  /** What comes is read, as the writers would die of a closed reader, and goes nowhere. */
  isMuted: boolean;
  closed: Promise<unknown>;
};

type Dependencies = {
  tmp: string;
  onStep: (stream: Stream, bytes: Buffer) => void;
  onMark: () => void;
  onBackground: KernelOptions['onBackground'];
};

/**
 * What a kernel writes on its FIFOs, cut into steps. After a step that left child processes behind, the next one gets a pair
 * of its own, so that what they write is told apart by where it comes from.
 */
export function kernelOutput({ tmp, onStep, onMark, onBackground }: Dependencies, first: Readers) {
  const pairs = new Set<Pair>();
  let current = open(first);
  let older: Pair[] = [];
  let next: Promise<NamedFifos | null> | null = null;
  /** The pair that the running step was told to open. */
  let offered: { fifos: NamedFifos; before: Pair } | null = null;
  let isClosed = false;

  function open({ stdout, stderr }: Readers): Pair {
    const cut = (name: Stream) =>
      stepStream(
        (bytes) => onStep(name, bytes),
        (bytes) => pair.isMuted || onBackground(name, bytes, pair.stepId),
      );
    const closed = Promise.all([stdout, stderr].map((reader) => new Promise((done) => reader.once('close', done))));
    const cuts = { stdout: cut('stdout'), stderr: cut('stderr') };
    const pair: Pair = { stdout, stderr, cuts, stepId: null, isUsed: false, isMuted: false, closed };
    pairs.add(pair);
    for (const name of ['stdout', 'stderr'] as const) {
      pair[name].on('error', () => {});
      pair[name].on('data', (chunk) => {
        pair.isUsed = true;
        countRead(chunk.length);
        if (pair.cuts[name].push(chunk)) onMark();
      });
    }
    void closed.then(() => {
      pairs.delete(pair);
      older = older.filter((one) => one !== pair);
    });
    return pair;
  }

  function supersede(fifos: NamedFifos): void {
    offered = { fifos, before: current };
    older.push(current);
    if (older.length > olderMax) (older.shift() as Pair).isMuted = true;
    current = open(fifos);
  }

  /** A kernel that could not open the pair it was offered goes on with the one before. */
  function withdraw(before: Pair): void {
    close(current);
    older = older.filter((pair) => pair !== before);
    current = before;
  }

  return {
    /** Resolves with the folder that the next step is to open, where it needs one; null where it can begin at once. */
    change(): Promise<string | null> | null {
      const made = next;
      next = null;
      if (!made) return null;
      return made.then((fifos) => {
        if (fifos && isClosed) fifos.opened();
        if (!fifos || isClosed) return null;
        supersede(fifos);
        return fifos.folder;
      });
    },

    /** From now on bytes belong to this step, up to its mark. */
    begin(stepId: string, mark: Buffer): void {
      current.stepId = stepId;
      current.cuts.stdout.begin(mark);
      current.cuts.stderr.begin(mark);
    },

    /** The step has ended, with or without its marks. `late`: it left processes that may still write. */
    end({ late }: { late: boolean }): void {
      current.cuts.stdout.end();
      current.cuts.stderr.end();
      if (offered) {
        offered.fifos.opened();
        if (!current.isUsed) withdraw(offered.before);
        offered = null;
      }
      if (late) next = nameFifos(tmp).catch(() => null);
    },

    /** Whether all that was written to the present pair has been read, which is so once nobody holds its other end. */
    drained: (ms: number): Promise<boolean> => settledWithin(current.closed, ms),

    close(): void {
      isClosed = true;
      for (const pair of pairs) close(pair);
      void next?.then((fifos) => {
        fifos?.stdout.destroy();
        fifos?.stderr.destroy();
        fifos?.opened();
      });
      next = null;
    },
  };
}

function close({ stdout, stderr }: Readers): void {
  stdout.destroy();
  stderr.destroy();
}
