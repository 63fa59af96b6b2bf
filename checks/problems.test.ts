import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { passedOn } from '../data-plane/src/sessions/agent-problem.ts';
import { openCallGraph } from './problems/call-graph.ts';
import { impossibleOfAgent, impossibleOfDataPlane } from './problems/impossible-problems.ts';
import { listedProblems } from './problems/listed-problems.ts';
import { problemsOfAgent, problemsOfDataPlane, unreachedProblems } from './problems/possible-problems.ts';
import { createReach } from './problems/reach.ts';

const root = join(import.meta.dirname, '..');
const graph = openCallGraph(root);
afterAll(graph.close);

const reach = createReach(graph);
const agentListed = listedProblems(join(root, 'specs/openapi/session-agent.json'));
const agent = {
  listed: agentListed,
  possible: problemsOfAgent(graph, reach),
  impossible: impossibleOfAgent,
};
const dataPlane = {
  listed: listedProblems(join(root, 'specs/openapi/holdfast.json')),
  possible: problemsOfDataPlane(graph, { listed: agentListed, passedOn }, reach),
  impossible: impossibleOfDataPlane,
};

test.each([
  ['session-agent', agent],
  ['public API', dataPlane],
])('the %s serves exactly the operations of its document', (_, { listed, possible }) => {
  expect([...possible.keys()].sort()).toEqual([...listed.keys()].sort());
});

test.each([
  ['session-agent', agent],
  ['public API', dataPlane],
])('every operation of the %s lists each problem that its code can throw', (_, { listed, possible, impossible }) => {
  const missing = [...possible].flatMap(([operation, problems]) =>
    [...problems]
      .filter(([slug]) => !listed.get(operation)?.includes(slug) && !isImpossible(impossible, operation, slug))
      .map(([slug, way]) => `${operation} does not list ${slug}: ${way}`),
  );
  expect(missing).toEqual([]);
});

test.each([
  ['session-agent', agent],
  ['public API', dataPlane],
])('no operation of the %s lists a problem that its code cannot throw', (_, { listed, possible, impossible }) => {
  const surplus = [...listed].flatMap(([operation, slugs]) =>
    slugs
      // Any error that is not a Problem becomes this one.
      .filter((slug) => slug !== 'internal')
      .filter((slug) => !possible.get(operation)?.has(slug) || isImpossible(impossible, operation, slug))
      .map((slug) => `${operation} lists ${slug}`),
  );
  expect(surplus).toEqual([]);
});

test.each([
  ['session-agent', agent],
  ['public API', dataPlane],
])('the exceptions of the %s are problems that its code contains', (_, { possible, impossible }) => {
  const unused = impossible.flatMap(({ operations, problems }) =>
    operations.flatMap((operation) =>
      problems.filter((slug) => !possible.get(operation)?.has(slug)).map((slug) => `${operation}: ${slug}`),
    ),
  );
  expect(unused).toEqual([]);
});

test('every problem in the code belongs to an operation, but for these', () => {
  const unreached = ['/session-agent/src/', '/data-plane/src/'].flatMap((folder) =>
    unreachedProblems(graph, folder, reach),
  );
  const beforeAnOperationIsChosen = [
    'data-plane/src/http/edge/refuse-dot-segments.ts: invalid-request',
    'data-plane/src/http/edge/refuse-unknown.ts: method-not-allowed',
    'data-plane/src/http/edge/refuse-unknown.ts: not-found',
    'session-agent/src/http/create-app.ts: not-found',
  ];
  const insteadOfAnotherError = [
    'data-plane/src/start/translate-errors.ts: sandbox-unreachable',
    'session-agent/src/http/answer-problem.ts: internal',
  ];
  const toVisitorsOfPorts = [
    'data-plane/src/http/preview/check-request.ts: invalid-request',
    'data-plane/src/http/preview/check-request.ts: method-not-allowed',
    'data-plane/src/http/preview/forward.ts: sandbox-failed',
    'data-plane/src/http/preview/read-credentials.ts: invalid-request',
    'data-plane/src/http/preview/read-credentials.ts: invalid-request',
    'data-plane/src/http/preview/serve-visit.ts: not-found',
    'data-plane/src/ports/admit-visit.ts: forbidden',
    'data-plane/src/ports/admit-visit.ts: not-found',
    'data-plane/src/ports/admit-visit.ts: unauthenticated',
    'data-plane/src/ports/connect-visit.ts: quota-exceeded',
    'session-agent/src/http/port-operations.ts: invalid-request',
    'session-agent/src/http/port-operations.ts: not-found',
  ];
  const toMcpClients = [
    'data-plane/src/http/mcp/call/in-session.ts: session-ended',
    'data-plane/src/http/mcp/resources/read-resource.ts: body-too-large',
    'data-plane/src/http/mcp/resources/read-resource.ts: not-found',
    'data-plane/src/http/mcp/resources/read-resource.ts: not-found',
    'data-plane/src/http/mcp/server/check-message.ts: invalid-request',
    'data-plane/src/http/mcp/server/refuse-foreign-origin.ts: forbidden',
    'data-plane/src/http/mcp/server/resume-call.ts: invalid-request',
    'data-plane/src/http/mcp/server/resume-call.ts: not-found',
    'data-plane/src/http/mcp/server/serve-mcp.ts: method-not-allowed',
    'data-plane/src/http/mcp/server/serve-mcp.ts: not-found',
    'data-plane/src/http/mcp/tools/file-tools.ts: invalid-request',
    'data-plane/src/http/mcp/tools/find-session.ts: not-found',
    'data-plane/src/http/mcp/tools/session-tools.ts: forbidden',
    'data-plane/src/http/mcp/tools/session-tools.ts: not-found',
    'data-plane/src/http/mcp/tools/session-tools.ts: session-not-active',
    'data-plane/src/mcp-sessions/choose-session.ts: not-found',
    'data-plane/src/mcp-sessions/use-mcp-session.ts: not-found',
    'data-plane/src/reading/whole-reads.ts: quota-exceeded',
  ];
  const expected = [...beforeAnOperationIsChosen, ...insteadOfAnotherError, ...toVisitorsOfPorts, ...toMcpClients];
  expect(unreached.sort()).toEqual(expected.sort());
});

function isImpossible(impossible: typeof impossibleOfAgent, operation: string, slug: string): boolean {
  return impossible.some(({ operations, problems }) => operations.includes(operation) && problems.includes(slug));
}
