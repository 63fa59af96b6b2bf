import { expect, test } from 'vitest';
import { type OpenKernel, openKernel } from '../support/open-kernel.ts';
import { type LaterStep, recoverState, saveState } from '../support/state.ts';
import { nodeProgram } from './random-node-programs.ts';
import { randomFrom } from './random-programs.ts';

const count = Number(process.env.HOLDFAST_STATE_PROGRAMS ?? 15);
const firstSeed = Number(process.env.HOLDFAST_STATE_SEED ?? 1);

const names = [...'nldfco'].flatMap((kind) => [0, 1, 2, 3, 4, 5].map((at) => `${kind}${at}`));
names.push('A', 'B', 'make', 'pair', 'join', 'separator');

/**
 * Shows every name in a form in which equal states are equal texts: objects that are shared have numbers. The behaviour of a closure counts:
 * it is called at the very end, in the order of the names, so that closures that share a variable show it.
 */
const fingerprint = `
(() => {
  const shown = {};
  const seen = new Map();
  const members = (v) => Reflect.ownKeys(v).filter((k) => k !== 'name' && k !== 'length' && k !== 'stack').map((k) => {
    const d = Object.getOwnPropertyDescriptor(v, k);
    return String(k) + (d.writable ? 'w' : '') + (d.enumerable ? 'e' : '') + (d.configurable ? 'c' : '') + ':' + ('value' in d ? part(d.value) : part(d.get) + part(d.set));
  }).join();
  const part = (v) => {
    if ((typeof v !== 'object' && typeof v !== 'function') || v === null) return Object.is(v, -0) ? '-0' : typeof v + ' ' + String(v);
    if (seen.has(v)) return '#' + seen.get(v);
    seen.set(v, seen.size);
    if (typeof v === 'function') {
      const text = Function.prototype.toString.call(v);
      if (text.includes('[native code]') || v === Object.prototype) return 'native ' + v.name;
      return 'function ' + v.name + ' ' + v.length + ' ' + text.replace(/^function\\s*\\w*/, 'function').replace(/\\(0, \\$heritage\\$\\)|\\$heritage\\$\\[\\d+\\]/g, 'A').replace(/static \\w+ = \\w+;?|^;/gm, '').replace(/[;\\s]+/g, '') + '{' + members(v) + '}';
    }
    if (v === Object.prototype || v === Array.prototype || v === Map.prototype || v === Function.prototype) return 'native';
    const inside = v instanceof Map ? 'Map' + [...v].map(([k, x]) => part(k) + '=>' + part(x)) : '';
    return (Array.isArray(v) ? 'list' : 'object') + inside + (Object.isFrozen(v) ? ' frozen' : '') + '<' + part(Object.getPrototypeOf(v)) + '>{' + members(v) + '}';
  };
  const read = (name) => { try { return [(0, eval)(name)]; } catch { return null; } };
  const values = Object.fromEntries(${JSON.stringify(names)}.map((name) => [name, read(name)]).filter(([, value]) => value !== null));
  for (const [name, [value]] of Object.entries(values)) { seen.clear(); shown[name] = part(value); }
  for (const [name, [value]] of Object.entries(values)) {
    if (!name.startsWith('c') || typeof value !== 'function') continue;
    try { shown[name] += ' => ' + value(1); } catch (error) { shown[name] += ' => ' + error; }
  }
  return JSON.stringify(shown);
})()`;

async function shown(kernel: OpenKernel): Promise<Record<string, string>> {
  return JSON.parse((await kernel.run(`console.log(${fingerprint})`)).stdout);
}

test(
  `after ${count} random programs that were cut off, each name has its value or is reported as lost`,
  async () => {
    const found = { names: 0, lost: 0 };
    for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
      const random = randomFrom(seed + 1_000_000);
      const steps = nodeProgram(seed, 8 + Math.floor(random() * 20));
      const savedAfter = 1 + Math.floor(random() * (steps.length - 1));
      await using whole = await openKernel('node');
      let archive: Buffer | undefined;
      const later: LaterStep[] = [];
      for (const [at, code] of steps.entries()) {
        const { end } = await whole.run(code);
        if (end.status === 'died') throw new Error(`seed ${seed}: the kernel died`);
        if (at >= savedAfter) later.push({ code, status: end.status, replay: random() < 0.15 });
        if (at === savedAfter - 1) archive = await saveState(whole.kernel);
      }
      const expected = await shown(whole);
      await using after = await openKernel('node');
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
    expect(found.lost).toBeLessThan(found.names * 0.6);
  },
  count * 4000 + 30_000,
);
