import { expect, test } from 'vitest';
import { type OpenKernel, openKernel } from '../support/open-kernel.ts';
import { type LaterStep, recoverState, saveState } from '../support/state.ts';
import { pythonProgram, randomFrom } from './random-programs.ts';

const count = Number(process.env.HOLDFAST_STATE_PROGRAMS ?? 25);
const firstSeed = Number(process.env.HOLDFAST_STATE_SEED ?? 1);

/**
 * Shows every name in a form in which equal states are equal texts: parts that are shared have numbers, in the order of the names. The
 * variables of a closure and the attributes of a class count as its parts.
 */
const fingerprint = `
def _fingerprint():
    import types, json
    seen, shown = {}, {}
    def show(v, depth=0):
        if isinstance(v, (int, float, str, bool, type(None))): return repr(v)
        if isinstance(v, types.ModuleType): return 'module ' + v.__name__
        if id(v) in seen: return '#%d' % seen[id(v)]
        seen[id(v)] = len(seen)
        if isinstance(v, (list, tuple)): return '[%s]' % ', '.join(show(x) for x in v)
        if isinstance(v, dict): return '{%s}' % ', '.join('%s: %s' % (k, show(x)) for k, x in v.items())
        if isinstance(v, types.FunctionType):
            cells = [show(c.cell_contents) for c in v.__closure__ or ()]
            return 'def %s %s %s' % (v.__name__, v.__code__.co_code.hex(), cells) + show(v.__defaults__) + repr(v.__code__.co_names) + repr(v.__code__.co_consts[:0])
        if isinstance(v, type):
            return 'class %s %s' % (v.__name__, [(k, show(x)) for k, x in vars(v).items() if not k.startswith('__')])
        return '%s %s %s' % (type(v).__name__, show(type(v)), show(vars(v)))
    skip = ('_fingerprint', 'make', 'In', 'Out', 'get_ipython', 'exit', 'quit', 'open')
    values = {n: v for n, v in globals().items() if not n.startswith('_') and n not in skip}
    one = {}
    for n in sorted(values):
        seen.clear()
        one[n] = show(values[n])
    print(json.dumps(one))
_fingerprint()`;

const shown = async (kernel: OpenKernel): Promise<Record<string, string>> =>
  JSON.parse((await kernel.run(fingerprint)).stdout);

test(
  `after ${count} random programs that were cut off, each name has its value or is reported as lost`,
  async () => {
    const found = { names: 0, lost: 0 };
    for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
      const random = randomFrom(seed + 1_000_000);
      const steps = pythonProgram(seed, 8 + Math.floor(random() * 20));
      const savedAfter = 1 + Math.floor(random() * (steps.length - 1));
      await using whole = await openKernel('python');
      let archive: Buffer | undefined;
      const later: LaterStep[] = [];
      for (const [at, code] of steps.entries()) {
        const { end } = await whole.run(code);
        if (end.status === 'died') throw new Error(`seed ${seed}: the kernel died`);
        if (at >= savedAfter) later.push({ code, status: end.status, replay: random() < 0.15 });
        if (at === savedAfter - 1) archive = await saveState(whole.kernel);
      }
      const expected = await shown(whole);
      await using after = await openKernel('python');
      const report = await recoverState(after.kernel, { ...(archive && { archive }), steps: later });
      const actual = await shown(after);
      const lost = new Set(report.lost.map(({ name }) => name));
      for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
        if (lost.has(name)) continue;
        const program = { seed, name, savedAfter, steps: steps.join('\n---\n') };
        expect({ ...program, value: actual[name] }).toEqual({ ...program, value: expected[name] });
      }
      found.names += Object.keys(expected).length;
      found.lost += Object.keys(expected).filter((name) => lost.has(name)).length;
    }
    // A recovery that loses everything would keep the promise, too.
    console.log(`${found.lost} of ${found.names} names were lost`);
    expect(found.lost).toBeLessThan(found.names / 2);
  },
  count * 4000 + 30_000,
);
