import type { StreamMark } from '@holdfast/specs/kernel';
import type { FifoReader } from '../fifo-reader.ts';
import type { KernelOptions, Stream } from '../kernel.ts';
import { settledWithin } from '../settled-within.ts';
import { createNamedFifos, type NamedFifos } from './fifos.ts';
import { createMarkSplitter, type MarkSplitter } from './mark-splitter.ts';

/** So many earlier pairs are still heard. */
const earlierMax = 8;

type Readers = { stdout: FifoReader; stderr: FifoReader };

type Pair = Readers & {
  splitters: Record<Stream, MarkSplitter>;
  /** The last step that wrote here: output after its end is its background output. */
  stepId: string | null;
  /** Whether any output came. */
  isUsed: boolean;
  /** Output is read and dropped. A closed reader would kill the writers. */
  isMuted: boolean;
  closed: Promise<unknown>;
};

type Dependencies = {
  tmp: string;
  onStep: (stream: Stream, bytes: Buffer) => void;
  onMark: (stream: Stream, mark: StreamMark) => void;
  onBackground: KernelOptions['onBackground'];
};

/**
 * Reads a kernel's FIFOs and assigns the output to its steps. After a step that left child processes behind, the next step gets a new
 * pair of FIFOs, so that the output of those processes stays apart from its own.
 */
export function createKernelOutput({ tmp, onStep, onMark, onBackground }: Dependencies, first: Readers) {
  const pairs = new Set<Pair>();
  let current = open(first);
  let earlier: Pair[] = [];
  let next: Promise<NamedFifos | null> | null = null;
  /** The pair that the running step was asked to open. */
  let offered: { fifos: NamedFifos; before: Pair } | null = null;
  let isClosed = false;

  function open({ stdout, stderr }: Readers): Pair {
    const splitter = (name: Stream) =>
      createMarkSplitter({
        onStep: (bytes) => onStep(name, bytes),
        onMark: (mark) => onMark(name, mark),
        onBackground: (bytes) => pair.isMuted || onBackground(name, bytes, pair.stepId),
      });
    const closed = Promise.all([stdout, stderr].map((reader) => new Promise((done) => reader.once('close', done))));
    const splitters = { stdout: splitter('stdout'), stderr: splitter('stderr') };
    const pair: Pair = { stdout, stderr, splitters, stepId: null, isUsed: false, isMuted: false, closed };
    pairs.add(pair);
    for (const name of ['stdout', 'stderr'] as const) {
      pair[name].on('error', () => {});
      pair[name].listen((chunk) => {
        pair.isUsed = true;
        pair.splitters[name].push(chunk);
      });
    }
    void closed.then(() => {
      pairs.delete(pair);
      earlier = earlier.filter((one) => one !== pair);
    });
    return pair;
  }

  function switchTo(fifos: NamedFifos): void {
    offered = { fifos, before: current };
    earlier.push(current);
    if (earlier.length > earlierMax) (earlier.shift() as Pair).isMuted = true;
    current = open(fifos);
  }

  /** A kernel that could not open the offered pair continues with the one before. */
  function switchBack(before: Pair): void {
    close(current);
    earlier = earlier.filter((pair) => pair !== before);
    current = before;
  }

  return {
    /** Resolves with the folder of the new FIFOs that the next step has to open; null if the step can begin at once. */
    prepareStreams(): Promise<string | null> | null {
      const made = next;
      next = null;
      if (!made) return null;
      return made.then((fifos) => {
        if (fifos && isClosed) fifos.release();
        if (!fifos || isClosed) return null;
        switchTo(fifos);
        return fifos.folder;
      });
    },

    /** A step begins: output belongs to it until its end mark. */
    begin(stepId: string, nonce: string): void {
      current.stepId = stepId;
      current.splitters.stdout.begin(nonce);
      current.splitters.stderr.begin(nonce);
    },

    /** The stream has come to its end mark, which the kernel has left out. */
    endStream(name: Stream): void {
      current.splitters[name].end();
      onMark(name, 'end');
    },

    /** The step has ended, with or without its marks. `late`: it left processes behind that may still write. */
    end({ late }: { late: boolean }): void {
      current.splitters.stdout.end();
      current.splitters.stderr.end();
      if (offered) {
        offered.fifos.release();
        if (!current.isUsed) switchBack(offered.before);
        offered = null;
      }
      if (late) next = createNamedFifos(tmp).catch(() => null);
    },

    /** Waits until the current pair is read to its end, when no process has it open. Resolves with whether that came in time. */
    untilDrained: (ms: number): Promise<boolean> => settledWithin(current.closed, ms),

    close(): void {
      isClosed = true;
      for (const pair of pairs) close(pair);
      void next?.then((fifos) => {
        fifos?.stdout.destroy();
        fifos?.stderr.destroy();
        fifos?.release();
      });
      next = null;
    },
  };
}

function close({ stdout, stderr }: Readers): void {
  stdout.destroy();
  stderr.destroy();
}
