import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AgentStep, encodeFrame } from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';
import type { Answering } from './scripted-agent.ts';

const done = {
  status: 'succeeded',
  contextEpoch: 1,
  executionCount: 1,
  durationMs: 1,
  stateSurvived: true,
  cause: null,
};

/** The steps of scripted agents. Each succeeds at once; ids are used up as a real agent does it. */
export function createScriptedSteps() {
  const ran: string[] = [];
  const burnt = new Set<string>();
  let refusal: Problem | null = null;

  const run = ({ stepId }: Pick<AgentStep, 'stepId'>, response: ServerResponse) => {
    if (burnt.has(stepId) || ran.includes(stepId)) return refuse(response, new Problem('step-repeated'));
    if (refusal) {
      refuse(response, refusal);
      refusal = null;
      return;
    }
    ran.push(stepId);
    response.write(encodeFrame('started', 1, { contextEpoch: 1, executionCount: 1 }));
    response.end(encodeFrame('done', 2, done));
  };
  const attach = (stepId: string, { burn }: { burn: boolean }, response: ServerResponse) => {
    if (ran.includes(stepId)) return refuse(response, new Problem('step-repeated'));
    if (burn) burnt.add(stepId);
    refuse(response, new Problem('not-found'));
  };
  const answering: Answering = (request, response) => {
    const attached = /^\/v1\/steps\/(\w+)\/attach$/.exec(request.url ?? '')?.[1];
    if (request.method !== 'POST' || (request.url !== '/v1/steps' && !attached)) return false;
    void jsonOf(request).then((body) => (attached ? attach(attached, body, response) : run(body, response)));
    return true;
  };
  return {
    answering,
    /** The ids of the steps that ran. */
    ran,
    /** The ids that were used up before their steps came. */
    burnt,
    /** The next step is refused, and did not start. */
    refuseNext: () => {
      refusal = new Problem('context-busy');
    },
  };
}

function refuse(response: ServerResponse, problem: Problem): void {
  response.writeHead(problem.status, { 'content-type': 'application/problem+json' });
  response.end(JSON.stringify(problem.body()));
}

async function jsonOf(request: IncomingMessage) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}
