import * as agent from '../agent.ts';
import { stdinSchema } from '../step.ts';
import { agentOutputPath, agentStepPath, refusedToken } from './agent-operation-parts.ts';
import { bytes, json, nothing, output } from './answers.ts';
import * as examples from './examples.ts';
import type { Operation } from './operation.ts';
import { tokenSchemes } from './security.ts';

/** Steps at the agent. Their frames are described with `encodeFrame`. */
export const agentStepOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/steps',
    operationId: 'runStep',
    tag: 'Steps',
    security: tokenSchemes,
    summary: 'Run a step',
    body: {
      schema: agent.agentStepSchema,
      example: { stepId: examples.stepId, contextId: 'python', code: 'x + 1', timeoutMs: 60_000, queue: 'wait' },
    },
    answers: { 200: bytes('The frames of the step as they come, to its end') },
    problems: [
      ...refusedToken,
      'not-found',
      'step-repeated',
      'session-busy',
      'state-reset',
      'context-deleted',
      'quota-exceeded',
      'results-unacknowledged',
    ],
  },
  {
    method: 'get',
    path: '/v1/steps',
    operationId: 'listSteps',
    tag: 'Steps',
    security: tokenSchemes,
    summary: 'List the steps that are not acknowledged',
    answers: {
      200: json('Steps', agent.agentStepsSchema, { steps: [{ stepId: examples.stepId, state: 'running' }] }),
    },
    problems: refusedToken,
  },
  {
    method: 'post',
    path: '/v1/steps/{stepId}/attach',
    operationId: 'attachStep',
    tag: 'Steps',
    security: tokenSchemes,
    summary: 'Get the frames of a step again and follow it',
    description: 'With `burn`, an id that was never seen is used up: a late request to run it is refused.',
    params: agentStepPath,
    body: { schema: agent.attachSchema, example: { after: 0 } },
    answers: { 200: bytes('The frames with a higher seq, then what follows') },
    problems: [...refusedToken, 'not-found'],
  },
  {
    method: 'post',
    path: '/v1/steps/{stepId}/interrupt',
    operationId: 'interruptStep',
    tag: 'Steps',
    security: tokenSchemes,
    summary: 'Interrupt a step',
    params: agentStepPath,
    answers: { 200: json('What the step was then', agent.interruptedSchema, { state: 'running' }) },
    problems: [...refusedToken, 'not-found'],
  },
  {
    method: 'post',
    path: '/v1/steps/{stepId}/stdin',
    operationId: 'sendStdin',
    tag: 'Steps',
    security: tokenSchemes,
    summary: 'Give a step a line of input, or with null its end',
    params: agentStepPath,
    body: { schema: stdinSchema, example: { text: 'Ada' } },
    answers: { 204: nothing('It is taken, or kept for when the step asks') },
    problems: [...refusedToken, 'not-found', 'stdin-closed'],
  },
  {
    method: 'get',
    path: '/v1/steps/{stepId}/stdin',
    operationId: 'readInputWait',
    tag: 'Steps',
    security: tokenSchemes,
    summary: 'Say what input a step waits for',
    params: agentStepPath,
    answers: {
      200: json('What it asks for, null where it does not wait', agent.inputWaitSchema, {
        request: { prompt: 'Name: ', password: false },
      }),
    },
    problems: [...refusedToken, 'not-found'],
  },
  {
    method: 'get',
    path: '/v1/steps/{stepId}/output/{stream}',
    operationId: 'readOutput',
    tag: 'Steps',
    security: tokenSchemes,
    summary: 'Read all that a step wrote to a stream',
    params: agentOutputPath,
    answers: { 200: output },
    problems: [...refusedToken, 'not-found'],
  },
  {
    method: 'post',
    path: '/v1/acks',
    operationId: 'acknowledgeSteps',
    tag: 'Steps',
    security: tokenSchemes,
    summary: 'Say which ends are recorded',
    body: { schema: agent.acksSchema, example: { stepIds: [examples.stepId] } },
    answers: { 204: nothing('Their results are forgotten') },
    problems: refusedToken,
  },
];
