import type { Language } from '@holdfast/specs/public';
import { type OpenKernel, openKernel } from '../../support/open-kernel.ts';
import { type LaterStep, manifestOf, recoverState, saveState } from '../../support/state.ts';
import { randomFrom } from './random-choices.ts';

/** How a name looks: two that share objects have the numbers of these in common. */
export type Described = Record<string, { shown: string; objects: number[] }>;

export type CutOff = {
  language: Language;
  /** A random program as steps. */
  program: (seed: number, length: number) => string[];
  /** Describes all names but those `without`. If `isLast`, it need not keep the state as it is. */
  describe: (kernel: OpenKernel, without: { names: string[]; isLast: boolean }) => Promise<Described>;
  /** Names that each new context has, so they are there also if they are lost. */
  settings?: ReadonlySet<string>;
};

/** How many names there were, and what became of them. A lost name was `spared` if the later steps had left it as it was. */
export type Tally = {
  names: number;
  restored: number;
  replayed: number;
  notSaved: number;
  changed: number;
  spared: number;
  wrong: string[];
};

type Saved = { archive: Buffer; names: Described };

/** Runs random programs, cuts each off at a random point, and compares what is recovered with what the whole run gives. */
export async function cutOffPrograms(
  cutOff: CutOff,
  { first, count }: { first: number; count: number },
): Promise<Tally> {
  const tally: Tally = { names: 0, restored: 0, replayed: 0, notSaved: 0, changed: 0, spared: 0, wrong: [] };
  for (let seed = first; seed < first + count; seed += 1) {
    await cutOffProgram(cutOff, seed, tally).catch((cause) => {
      tally.wrong.push(`seed ${seed}: ${cause}`);
    });
  }
  return tally;
}

async function cutOffProgram(
  { language, program, describe, settings = new Set() }: CutOff,
  seed: number,
  tally: Tally,
) {
  const random = randomFrom(seed + 1_000_000);
  const steps = program(seed, 8 + Math.floor(random() * 20));
  await using whole = await openKernel(language);
  const { saved, later } = await runWhole(whole, { steps, random, describe });
  const notSaved = new Set<string>();
  let archive = saved?.archive;
  // A state that has come back can be saved again.
  if (archive && random() < 0.3) archive = await saveAgain(language, archive, notSaved);
  await using after = await openKernel(language);
  const report = await recoverState(after.kernel, { ...(archive && { archive }), steps: later });
  const lost = new Set([...report.lost.map(({ name }) => name), ...notSaved]);
  for (const { name } of archive ? manifestOf(archive).notSaved : []) notSaved.add(name);

  const all = await describe(whole, { names: [], isLast: false });
  const expected = await describe(whole, { names: [...lost], isLast: true });
  const actual = await describe(after, { names: [...lost], isLast: true });
  const left = await describe(after, { names: [], isLast: true });
  const isGone = (name: string) => lost.has(name) || (lost.has('*') && (settings.has(name) || !(name in actual)));
  const kinds = later.map(({ status, replay }) => `${status}${replay ? ', replayed' : ''}`);
  const saves = steps.length - later.length;
  const listed = steps.map((code, at) => `--- ${kinds[at - saves] ?? 'saved'}\n${code}`).join('\n');
  for (const found of differences({ expected, actual, left, isGone, settings })) {
    tally.wrong.push(`seed ${seed}: ${found}; lost: ${[...lost].join()}\n${listed}`);
  }
  for (const name of Object.keys(all).filter((one) => !settings.has(one))) {
    tally.names += 1;
    if (!isGone(name)) tally[report.replayed.includes(name) ? 'replayed' : 'restored'] += 1;
    else if (notSaved.has(name)) tally.notSaved += 1;
    else tally[saved?.names[name]?.shown === all[name]?.shown ? 'spared' : 'changed'] += 1;
  }
}

/** Runs all steps, with a snapshot before one of them. The last one may have been running when the context was lost. */
async function runWhole(
  kernel: OpenKernel,
  { steps, random, describe }: { steps: string[]; random: () => number; describe: CutOff['describe'] },
): Promise<{ saved: Saved | undefined; later: LaterStep[] }> {
  const savedAfter = Math.floor(random() * steps.length);
  const [isCutShort, hasRun] = [random() < 0.3, random() < 0.5];
  let saved: Saved | undefined;
  const later: LaterStep[] = [];
  for (const [at, code] of steps.entries()) {
    // It has done all or nothing.
    const isLost = isCutShort && at === steps.length - 1;
    const status = isLost && !hasRun ? 'lost' : (await kernel.run(code)).end.status;
    if (status === 'died') throw new Error(`the kernel died at step ${at}`);
    if (at >= savedAfter) later.push({ code, status: isLost ? 'lost' : status, replay: !isLost && random() < 0.15 });
    if (at !== savedAfter - 1) continue;
    saved = { names: await describe(kernel, { names: [], isLast: false }), archive: await saveState(kernel.kernel) };
  }
  return { saved, later };
}

async function saveAgain(language: Language, archive: Buffer, notSaved: Set<string>): Promise<Buffer> {
  await using kernel = await openKernel(language);
  const { lost } = await recoverState(kernel.kernel, { archive });
  for (const { name } of lost) notSaved.add(name);
  return await saveState(kernel.kernel);
}

type Compared = {
  expected: Described;
  actual: Described;
  /** The names of the recovered context, with those that it reports as lost. */
  left: Described;
  isGone: (name: string) => boolean;
  settings: ReadonlySet<string>;
};

function* differences({ expected, actual, left, isGone, settings }: Compared): Generator<string> {
  const kept = [...new Set([...Object.keys(expected), ...Object.keys(actual)])].filter((name) => !isGone(name)).sort();
  for (const name of kept) {
    const [right, found] = [expected[name]?.shown, actual[name]?.shown];
    if (found !== right) yield `${name} is ${found}\nand not ${right}`;
  }
  const [right, found] = [sharing(expected, kept), sharing(actual, kept)];
  if (found !== right) yield `shared are ${found}\nand not ${right}`;
  for (const [name, { shown }] of Object.entries(left)) {
    if (isGone(name) && !settings.has(name)) yield `${name} is reported as lost, and is ${shown}`;
  }
}

/** Numbers the objects of these names by their first appearance. */
function sharing(described: Described, names: string[]): string {
  const numbers = new Map<number, number>();
  const numbered = (object: number) => {
    if (!numbers.has(object)) numbers.set(object, numbers.size);
    return numbers.get(object);
  };
  return names.map((name) => `${name} ${described[name]?.objects.map(numbered).join()}`).join('; ');
}
