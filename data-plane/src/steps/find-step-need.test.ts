import { encodeFrame } from '@holdfast/specs/agent';
import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { AgentError } from '../agent/agent-error.ts';
import { askWhatStepNeeds, type NeedDependencies } from './find-step-need.ts';
import type { RecordedStep } from './step-from-row.ts';

const row = { id: newId('stp'), sessionId: newId('ses'), epoch: 2, finishedAt: null } as RecordedStep;
const inFrame = { prompt: 'in the frame', password: true };
const request = { prompt: 'Name: ', password: false };
const asking = { inputRequest: encodeFrame('input_request', 3, inFrame) };
const needs = (of: object) => ({ tag: 'needs', what: 'stdin', ...of });

/** Dependencies whose agent answers, or refuses, as given; `paths` are those that it was asked for. */
function agentSays(answer: () => object, { epoch = row.epoch } = {}) {
  const paths: string[] = [];
  const call = async (_: unknown, { path, schema }: { path: string; schema: { parse(value: unknown): unknown } }) => {
    paths.push(path);
    return schema.parse(answer());
  };
  const deps = { agents: { call }, routes: { find: async () => ({ epoch }) } } as unknown as NeedDependencies;
  return { deps, paths };
}

const refusal = (kind: AgentError['kind']) => () => {
  throw new AgentError(kind, 'as told');
};

test('a step whose frames ask for nothing needs nothing, and nobody is asked', async () => {
  const { deps, paths } = agentSays(() => ({ request }));
  expect(await askWhatStepNeeds(deps, { row, live: { inputRequest: null } })).toBeNull();
  expect(paths).toEqual([]);
});

test('what a step needs is what its agent says, followed here or elsewhere', async () => {
  const { deps, paths } = agentSays(() => ({ request }));
  expect(await askWhatStepNeeds(deps, { row, live: asking })).toEqual(needs(request));
  expect(await askWhatStepNeeds(deps, { row, live: undefined })).toEqual(needs(request));
  expect(paths).toEqual([`/v1/steps/${row.id}/stdin`, `/v1/steps/${row.id}/stdin`]);
});

test('a request that was answered meanwhile is no need any more', async () => {
  const { deps } = agentSays(() => ({ request: null }));
  expect(await askWhatStepNeeds(deps, { row, live: asking })).toBeNull();
});

test.each(['undelivered', 'cut', 'invalid'] as const)(
  'where the agent cannot be asked (%s), the frames are believed, and without them nothing is needed',
  async (kind) => {
    const { deps } = agentSays(refusal(kind));
    expect(await askWhatStepNeeds(deps, { row, live: asking })).toEqual(needs(inFrame));
    expect(await askWhatStepNeeds(deps, { row, live: undefined })).toBeNull();
  },
);

test('a step that the agent does not know, or that ran in an earlier sandbox, needs nothing', async () => {
  expect(await askWhatStepNeeds(agentSays(refusal('refused')).deps, { row, live: asking })).toBeNull();
  const moved = agentSays(() => ({ request }), { epoch: row.epoch + 1 });
  expect(await askWhatStepNeeds(moved.deps, { row, live: asking })).toBeNull();
  expect(moved.paths).toEqual([]);
});
