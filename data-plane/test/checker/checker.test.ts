import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FaultKind, faultKinds } from './faults/fault.ts';
import { missingFaults, missingWork, report, summary } from './report.ts';
import { runRound } from './run-round.ts';

const { env } = process;
const seconds = Number(env.HOLDFAST_CHECKER_SECONDS ?? 80);
const replicas = Number(env.HOLDFAST_CHECKER_REPLICAS ?? 2);
const firstSeed = env.HOLDFAST_CHECKER_SEED ?? '1';
const kinds = (env.HOLDFAST_CHECKER_FAULTS?.split(',') as FaultKind[] | undefined) ?? faultKinds;

/** A longer check is made of several rounds, each with a world of its own and the next seed. */
const roundSeconds = 120;
const rounds = Math.max(1, Math.round(seconds / roundSeconds));
const seeds = Array.from({ length: rounds }, (_, index) => (index === 0 ? firstSeed : `${firstSeed}.${index}`));

test.each(seeds)(
  'the record is true after every kind of fault, with the seed %s',
  async (seed) => {
    const say = (line: string) => void (env.HOLDFAST_CHECKER_SECONDS && console.log(line));
    const round = await runRound({ seed, seconds: Math.min(seconds, roundSeconds), replicas, kinds, say });
    say(summary(round));
    if (round.violations.length > 0) await keepEvidence(round.evidence, seed);
    expect(round.violations.length, report(round, { seed })).toBe(0);
    expect(missingFaults(round, kinds)).toEqual([]);
    expect(missingWork(round)).toEqual([]);
  },
  900_000,
);

/** Everything that the judge saw, for a person who wants to know more than the report. */
async function keepEvidence(evidence: object, seed: string): Promise<void> {
  const json = JSON.stringify(evidence, (_, value) => (value instanceof Map ? Object.fromEntries(value) : value), 1);
  await writeFile(join(tmpdir(), `holdfast-checker-${seed}.json`), json);
}
