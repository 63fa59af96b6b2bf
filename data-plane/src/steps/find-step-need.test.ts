import { encodeFrame } from '@holdfast/specs/agent';
import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { AgentError } from '../agent/agent-error.ts';
import type { StepRow } from '../registry/schema/steps.ts';
import { findStepNeed, type NeedDependencies } from './find-step-need.ts';

const row = { id: newId('stp'), sessionId: newId('ses'), epoch: 2, finishedAt: null } as StepRow;
const inFrame = { prompt: 'in the frame', password: true };
const request = { prompt: 'Name: ', password: false };
const frame = encodeFrame('input_request', 3, inFrame);
const asking = { inputRequest: frame, request: frame };
const operation = { id: newId('op'), stepId: row.id, name: 'llm.complete', arguments: '["Hi"]' };
const needs = (of: object) => ({ tag: 'needs', what: 'stdin', ...of });

/** Dependencies with an agent that answers or refuses as given. `paths` collects the paths of its requests. */
function agentSays(answer: () => object, { epoch = row.epoch, pending = [] as object[] } = {}) {
  const paths: string[] = [];
  const call = async (_: unknown, { path, schema }: { path: string; schema: { parse(value: unknown): unknown } }) => {
    paths.push(path);
    return schema.parse(answer());
  };
  const sql = async () => pending;
  const deps = {
    db: { sql },
    agents: { call },
    routes: { find: async () => ({ epoch }) },
  } as unknown as NeedDependencies;
  return { deps, paths };
}

const refusal = (kind: AgentError['kind']) => () => {
  throw new AgentError(kind, 'as told');
};

test('a step without a request for input in its frames needs nothing, and its agent is not asked', async () => {
  const { deps, paths } = agentSays(() => ({ request }));
  expect(await findStepNeed(deps, { row, live: { inputRequest: null, request: null } })).toBeNull();
  expect(paths).toEqual([]);
});

test('asks the agent, whether or not this replica follows the step', async () => {
  const { deps, paths } = agentSays(() => ({ request }));
  expect(await findStepNeed(deps, { row, live: asking })).toEqual(needs(request));
  expect(await findStepNeed(deps, { row, live: undefined })).toEqual(needs(request));
  expect(paths).toEqual([`/v1/steps/${row.id}/stdin`, `/v1/steps/${row.id}/stdin`]);
});

test('a step needs nothing after its request was answered', async () => {
  const { deps } = agentSays(() => ({ request: null }));
  expect(await findStepNeed(deps, { row, live: asking })).toBeNull();
});

test.each(['undelivered', 'cut', 'invalid'] as const)(
  'trusts the frames if the agent gives no answer (%s), and reports no need without them',
  async (kind) => {
    const { deps } = agentSays(refusal(kind));
    expect(await findStepNeed(deps, { row, live: asking })).toEqual(needs(inFrame));
    expect(await findStepNeed(deps, { row, live: undefined })).toBeNull();
  },
);

test('a step needs nothing if the agent does not know it or if it ran in an earlier sandbox', async () => {
  expect(await findStepNeed(agentSays(refusal('refused')).deps, { row, live: asking })).toBeNull();
  const moved = agentSays(() => ({ request }), { epoch: row.epoch + 1 });
  expect(await findStepNeed(moved.deps, { row, live: asking })).toBeNull();
  expect(moved.paths).toEqual([]);
});

test('a step needs the answer to an operation that the registry has, and its agent is not asked', async () => {
  const { deps, paths } = agentSays(() => ({ request }), { pending: [operation] });
  const { id: operationId, stepId, name } = operation;
  const need = { tag: 'needs', what: 'operation', operationId, stepId, name, arguments: ['Hi'] };
  expect(await findStepNeed(deps, { row, live: { inputRequest: null, request: {} } })).toEqual(need);
  expect(await findStepNeed(deps, { row, live: undefined })).toEqual(need);
  expect(paths).toEqual([]);
});
