import type { Language } from '@holdfast/specs/public';
import { type OpenKernel, openKernel } from '../support/open-kernel.ts';
import { type LaterStep, manifestOf, recoverState, saveState } from '../support/state.ts';
import { randomFrom } from './random-choices.ts';

/** How a name looks: two that share objects have the numbers of these in common. */
export type Described = Record<string, { shown: string; objects: number[] }>;

export type CutOff = {
  language: Language;
  /** A random program as steps. */
  program: (seed: number, length: number) => string[];
  /** Describes all names but those `without`, for which it need not keep the state as it is if `isLast`. */
  describe: (kernel: OpenKernel, without: { names: string[]; isLast: boolean }) => Promise<Described>;
  /** What each new context has, so that it is there also if it is lost. */
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
  const savedAfter = Math.floor(random() * steps.length);
  // The step that ran when the context was lost may have done all or nothing.
  const [isCutShort, hasRun] = [random() < 0.3, random() < 0.5];
  await using whole = await openKernel(language);
  let saved: { archive: Buffer; names: Described } | undefined;
  const later: LaterStep[] = [];
  for (const [at, code] of steps.entries()) {
    const isLost = isCutShort && at === steps.length - 1;
    const status = isLost && !hasRun ? 'lost' : (await whole.run(code)).end.status;
    if (status === 'died') throw new Error(`seed ${seed}: the kernel died at step ${at}`);
    if (at >= savedAfter) later.push({ code, status: isLost ? 'lost' : status, replay: !isLost && random() < 0.15 });
    if (at !== savedAfter - 1) continue;
    saved = { names: await describe(whole, { names: [], isLast: false }), archive: await saveState(whole.kernel) };
  }
  const notSaved = new Set<string>();
  let archive = saved?.archive;
  // A state that has come back can be saved again.
  if (archive && random() < 0.3) archive = await saveAgain(language, archive, notSaved);
  await using after = await openKernel(language);
  const report = await recoverState(after.kernel, { ...(archive && { archive }), steps: later });
  const lost = new Set([...report.lost.map(({ name }) => name), ...notSaved]);
  for (const { name } of archive ? manifestOf(archive).notSaved : []) notSaved.add(name);
  const without = { names: [...lost], isLast: true };
  const actual = await describe(after, without);
  const left = await describe(after, { names: [], isLast: true });
  const all = await describe(whole, { names: [], isLast: false });
  const expected = await describe(whole, without);
  const wrong = (name: string, found: string | undefined, right: string | undefined) => {
    const kinds = later.map(({ status, replay }) => `${status}${replay ? ', replayed' : ''}`);
    const listed = steps.map((code, at) => `--- ${kinds[at - savedAfter] ?? 'saved'}\n${code}`).join('\n');
    tally.wrong.push(`seed ${seed}: ${name} is ${found}\nand not ${right}; lost: ${[...lost].join()}\n${listed}`);
  };
  const isGone = (name: string) => lost.has(name) || (lost.has('*') && (settings.has(name) || !(name in actual)));
  const kept = [...new Set([...Object.keys(expected), ...Object.keys(actual)])].filter((name) => !isGone(name)).sort();
  for (const name of kept) {
    if (actual[name]?.shown !== expected[name]?.shown) wrong(name, actual[name]?.shown, expected[name]?.shown);
  }
  const [shares, sharesNow] = [sharing(expected, kept), sharing(actual, kept)];
  if (shares !== sharesNow) wrong(kept.join(), sharesNow, shares);
  for (const [name, { shown }] of Object.entries(left)) {
    if (isGone(name) && !settings.has(name)) wrong(name, shown, 'nothing, as it is lost');
  }
  for (const name of Object.keys(all).filter((one) => !settings.has(one))) {
    tally.names += 1;
    if (!isGone(name)) tally[report.replayed.includes(name) ? 'replayed' : 'restored'] += 1;
    else if (notSaved.has(name)) tally.notSaved += 1;
    else tally[saved?.names[name]?.shown === all[name]?.shown ? 'spared' : 'changed'] += 1;
  }
}

async function saveAgain(language: Language, archive: Buffer, notSaved: Set<string>): Promise<Buffer> {
  await using kernel = await openKernel(language);
  const { lost } = await recoverState(kernel.kernel, { archive });
  for (const { name } of lost) notSaved.add(name);
  return await saveState(kernel.kernel);
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
