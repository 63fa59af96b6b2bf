import { expect, test } from 'vitest';
import { type OpenKernel, openKernel } from '../support/open-kernel.ts';
import { type LaterStep, recoverState, saveState } from '../support/state.ts';
import { bashProgram } from './random-bash-programs.ts';
import { randomFrom } from './random-programs.ts';

const count = Number(process.env.HOLDFAST_STATE_PROGRAMS ?? 15);
const firstSeed = Number(process.env.HOLDFAST_STATE_SEED ?? 1);

/** Prints each name that a step can have made, with its attributes and value, between bytes that are in none of them. */
const fingerprint = `
for __name in $(compgen -v | grep -E '^[a-z][0-9]$') $(declare -p | sed -nE 's/^declare -[a-zA-Z-]+ ([a-z][0-9])$/\\1/p'); do
  printf '%s\\1%s\\2' "$__name" "$(declare -p "$__name" 2>/dev/null)"
done
for __name in $(compgen -A function | grep -E '^[a-z][0-9]$'); do printf '%s()\\1%s\\2' "$__name" "$(declare -f "$__name")"; done
printf 'current directory\\1%s\\2' "$PWD"; printf 'positional parameters\\1%s\\2' "$*"
for __name in $(compgen -a); do printf 'alias %s\\1%s\\2' "$__name" "$(alias "$__name")"; done
printf 'trap SIGUSR1\\1%s\\2' "$(trap -p USR1)"; printf 'options\\1%s\\2' "$(shopt nullglob; set -o | grep noglob)"; :`;

const shown = async (kernel: OpenKernel): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await kernel.run(fingerprint)).stdout
      .split('\u0002')
      .slice(0, -1)
      .map((entry) => entry.split('\u0001') as [string, string]),
  );

/** These exist in each shell. If they are lost, they are those of a new one. */
const settings = new Set(['current directory', 'positional parameters', 'trap SIGUSR1', 'options']);

test(
  `after ${count} random programs that were cut off, each name has its value or is reported as lost`,
  async () => {
    const found = { names: 0, lost: 0 };
    for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
      const random = randomFrom(seed + 1_000_000);
      const steps = bashProgram(seed, 8 + Math.floor(random() * 20));
      const savedAfter = 1 + Math.floor(random() * (steps.length - 1));
      await using whole = await openKernel('bash');
      let archive: Buffer | undefined;
      const later: LaterStep[] = [];
      for (const [at, code] of steps.entries()) {
        const { end } = await whole.run(code);
        if (end.status === 'died') throw new Error(`seed ${seed}: the kernel died`);
        if (at >= savedAfter) later.push({ code, status: end.status, replay: random() < 0.15 });
        if (at === savedAfter - 1) archive = await saveState(whole.kernel);
      }
      const expected = await shown(whole);
      await using after = await openKernel('bash');
      const report = await recoverState(after.kernel, { ...(archive && { archive }), steps: later });
      const actual = await shown(after);
      const lost = new Set(report.lost.map(({ name }) => name));
      for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
        const isLost = lost.has(name) || (lost.has('*') && (settings.has(name) || !(name in actual)));
        const program = { seed, name, savedAfter, steps: steps.join('\n---\n'), lost: [...lost].join() };
        if (!settings.has(name)) {
          found.names += 1;
          if (isLost) found.lost += 1;
        }
        if (isLost && !settings.has(name)) expect({ ...program, value: actual[name] }).toEqual({ ...program });
        else if (!isLost) expect({ ...program, value: actual[name] }).toEqual({ ...program, value: expected[name] });
      }
    }
    // A recovery that loses everything would keep the promise, too.
    console.log(`${found.lost} of ${found.names} names were lost`);
    expect(found.lost).toBeLessThan(found.names / 2);
  },
  count * 4000 + 30_000,
);
