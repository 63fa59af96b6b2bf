import type { Case } from '../scenarios/latency/cases.ts';

/** The visible end of a step. `error` is the name of the error that ended it. */
export type Shown = { output: string; result: string | null; error: string | null };

/** Something that runs code in an interpreter that stays. */
export type Peer = {
  /** Its name in samples and tables. If it leaves out work of the product, `what-peers-lack.ts` says so. */
  name: string;
  /** The parts of `Shown` that it cannot give. They are not checked. */
  hides?: readonly (keyof Shown)[];
  /** Whether it can run the case at all. */
  canRun(one: Case): boolean;
  run(one: Pick<Case, 'code' | 'output' | 'language'>): Promise<Shown>;
};

/** Runs the case once. @throws Error if the peer gives something else than the case expects */
export async function checkCase({ name, hides = [], run }: Peer, one: Case): Promise<void> {
  const shown = await run(one);
  for (const part of ['output', 'result', 'error'] as const) {
    if (!hides.includes(part) && shown[part] !== one[part])
      throw new Error(`${name} gave a wrong ${part} for ${one.name}: ${JSON.stringify(shown[part])?.slice(0, 200)}`);
  }
}
