import { expect } from 'vitest';
import {
  type DecideOptions,
  type JobOptions,
  OperationError,
  type ProcessEvent,
  type Proposals,
  type RunOptions,
  type Session,
  type Signal,
  type StartOptions,
  type StepEvent,
  type UpdateSession,
  type Usage,
} from '../src/index.ts';

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
  createContext: { language: string };
  completeCode: { contextId: string; code: string; cursor: number };
  job: JobOptions;
  jobs: object;
  snapshot: object;
  restore: object;
  fork: Run;
  listProposals: object;
  commitProposal: DecideOptions;
  rejectProposal: DecideOptions;
  reportUsage: Usage;
  usage: object;
  update: UpdateSession;
  events: object;
  pause: object;
  resume: object;
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
  async run(session, { code, ...options }) {
    const contexts = options.contextId === '$context' ? await session.contexts.list() : [];
    const contextId = contexts.find(({ isDefault }) => !isDefault)?.id;
    return await session.run(code, { ...withInput(options), ...(contextId && { contextId }) });
  },
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
        if (isFailure(value)) throw new OperationError(value.fail);
        return value;
      });
    }
  },
  createContext: (session, options) => session.contexts.create(options),
  completeCode: (session, { contextId, code, cursor }) => session.contexts.complete(contextId, code, cursor),
  job: (session, options) => session.jobs.run(options),
  jobs: async (session) => ({ count: (await collected(session.jobs.list())).length }),
  snapshot: (session) => session.snapshots.create(),
  async restore(session) {
    const [snapshot] = (await session.snapshots.list()).filter(({ origin }) => origin === 'request');
    return await session.snapshots.restore(snapshot?.id ?? '');
  },
  async fork(session, { code, ...options }) {
    const [fork] = await session.fork();
    return await fork?.run(code, withInput(options));
  },
  async listProposals({ proposals }) {
    const open = await collected(proposals.list({ status: 'open' }));
    const changes = await Promise.all(open.map(async ({ id }) => (await proposals.get(id)).changes));
    return { count: open.length, paths: changes.flat().map(({ path }) => path) };
  },
  commitProposal: async ({ proposals }, options) => proposals.commit(await oldestOpen(proposals), options),
  rejectProposal: async ({ proposals }, options) => proposals.reject(await oldestOpen(proposals), options),
  reportUsage: (session, usage) => session.reportUsage(usage),
  usage: (session) => session.usage(),
  update: async (session, changes) => (await session.update(changes)).record,
  async events(session) {
    const types = (await collected(session.events())).map(({ type }) => type).filter((type) => type !== 'queued');
    return { types: [...new Set(types)].sort() };
  },
  async pause(session) {
    await session.pause();
    return session.record;
  },
  resume: async (session) => (await session.resume()).record,
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

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function oldestOpen(proposals: Proposals): Promise<string> {
  const [oldest] = await collected(proposals.list({ status: 'open' }));
  return oldest?.id ?? '';
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
  const types = events
    .map(({ type }) => type)
    .filter((type) => type !== 'queued')
    .filter((type, i, all) => type !== all[i - 1]);
  return { types, stdout: textOf('stdout'), stderr: textOf('stderr') };
}
