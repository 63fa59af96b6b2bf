import { parseArgs } from 'node:util';
import type { Plan } from '../stage/plan.ts';
import { UsageError } from './usage-error.ts';

export type RunOptions = { scenarios: string[]; plan: Plan; seed: number; out: string | null };

/** Reads the arguments of a run. @throws UsageError if one is unknown or malformed */
export function parseRunOptions(args: string[], known: readonly string[]): RunOptions {
  const { values, positionals } = parse(args);
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown) throw new UsageError(`there is no scenario ${unknown}; there are ${known.join(', ')}`);
  return {
    scenarios: positionals.length > 0 ? known.filter((name) => positionals.includes(name)) : [...known],
    plan: {
      size: values.smoke ? 'smoke' : 'full',
      rounds: values.rounds === undefined ? null : wholeNumber('--rounds', values.rounds),
    },
    seed: wholeNumber('--seed', values.seed),
    out: values.out ?? null,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        smoke: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        seed: { type: 'string', default: '1' },
        out: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function wholeNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${option} takes a whole number, not ${text}`);
  return Number(text);
}
