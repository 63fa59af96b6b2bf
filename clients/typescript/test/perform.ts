import { expect } from 'vitest';
import type { ProcessEvent, RunOptions, Session, Signal, StartOptions, StepEvent } from '../src/index.ts';

type Run = Omit<RunOptions, 'input'> & { code: string; input?: string[] };
type Start = StartOptions & { command: string | string[]; write?: string; sendSignal?: Signal };
type Verbs = {
  run: Run;
  stream: Run;
  process: Start;
  streamProcess: Start;
  writeFile: { path: string; text: string; ifAbsent?: boolean };
  readFile: { path: string };
  stat: { path: string };
  listFiles: { path?: string };
  moveFile: { from: string; to: string };
  deleteFile: { path: string };
  makeDirectory: { path: string };
  answer: Record<string, unknown>;
  complete: object;
  refresh: object;
};

export type Action = Partial<Verbs> & {
  restart?: { after: number };
  expect?: object | null;
  refusal?: { code: string; status: number };
};

type OnOutput = (pieces: number) => void;

type Performers = { [Verb in keyof Verbs]: (session: Session, input: Verbs[Verb], onOutput: OnOutput) => unknown };

const performers: Performers = {
  run: (session, { code, ...options }) => session.run(code, withInput(options)),
  async stream(session, { code, ...options }, onOutput) {
    const events: StepEvent[] = [];
    for await (const event of session.stream(code, withInput(options))) {
      events.push(event);
      if (event.type === 'stdout') onOutput(countOf(events, 'stdout'));
    }
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => (events[0]?.seq ?? 0) + i));
    const last = events.at(-1);
    return { ...outputOf(events), step: last?.type === 'finished' ? last.step : null };
  },
  async process(session, { command, write, sendSignal: _, ...options }) {
    if (write === undefined) return await session.processes.run(command, options);
    const process = await session.processes.start(command, { ...options, stdin: true });
    await process.write(write, { end: true });
    return await process.wait();
  },
  async streamProcess(session, { command, write: _, sendSignal, ...options }, onOutput) {
    const process = await session.processes.start(command, options);
    const events: ProcessEvent[] = [];
    for await (const event of process.events()) {
      events.push(event);
      if (event.type === 'stdout') onOutput(countOf(events, 'stdout'));
      if (event.type === 'stdout' && sendSignal) await process.signal(sendSignal);
    }
    return { ...outputOf(events), process: process.record };
  },
  writeFile: (session, { path, text, ...options }) => session.files.write(path, text, options),
  readFile: async (session, { path }) => ({ text: await session.files.readText(path) }),
  stat: (session, { path }) => session.files.stat(path),
  async listFiles(session, { path }) {
    return { paths: (await session.files.list(path)).map((entry) => entry.path).sort() };
  },
  moveFile: (session, { from, to }) => session.files.move(from, to),
  deleteFile: (session, { path }) => session.files.delete(path),
  makeDirectory: (session, { path }) => session.files.makeDirectory(path),
  answer(session, answers) {
    for (const [name, value] of Object.entries(answers)) {
      session.onOperation(name, () => {
        if (isFailure(value)) throw new Error(value.fail);
        return value;
      });
    }
  },
  complete: async (session) => (await session.complete()).record,
  refresh: async (session) => (await session.refresh()).record,
};

/** Does the one verb of an action, and tells how many pieces of output there have been. */
export async function perform(session: Session, action: Action, onOutput: OnOutput): Promise<unknown> {
  const verb = (Object.keys(performers) as (keyof Verbs)[]).find((name) => action[name] !== undefined);
  if (!verb) throw new Error(`an action without a known verb: ${JSON.stringify(action)}`);
  const performer = performers[verb] as (session: Session, input: unknown, onOutput: OnOutput) => unknown;
  return await performer(session, action[verb], onOutput);
}

function withInput({ input, ...options }: Omit<Run, 'code'>): RunOptions {
  const lines = [...(input ?? [])];
  return input ? { ...options, input: () => lines.shift() ?? null } : options;
}

const isFailure = (value: unknown): value is { fail: string } =>
  typeof value === 'object' && value !== null && 'fail' in value;

const countOf = (events: (StepEvent | ProcessEvent)[], type: string) =>
  events.filter((event) => event.type === type).length;

function outputOf(events: (StepEvent | ProcessEvent)[]) {
  const textOf = (stream: 'stdout' | 'stderr') =>
    events.map((event) => (event.type === stream ? (event.text ?? '') : '')).join('');
  const types = events.map(({ type }) => type).filter((type, i, all) => type !== all[i - 1]);
  return { types, stdout: textOf('stdout'), stderr: textOf('stderr') };
}
