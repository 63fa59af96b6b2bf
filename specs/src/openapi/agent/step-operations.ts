import * as agent from '../../agent/steps.ts';
import { bytes, json, nothing } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import { jobId } from '../parts/file-examples.ts';
import type { Operation } from '../parts/operation.ts';
import { tokenSchemes } from '../parts/security.ts';
import { agentStepPath, refusedToken } from './operation-parts.ts';

/** Steps and jobs. `agent/frames.ts` describes their frames. */
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
    answers: { 200: bytes('The frames of the step as they happen, up to its end') },
    problems: [
      ...refusedToken,
      'policy-changed',
      'policy-denied',
      'session-ended',
      'session-paused',
      'not-found',
      'step-repeated',
      'context-busy',
      'state-reset',
      'context-deleted',
      'quota-exceeded',
      'unsupported-by-runtime',
      'results-unacknowledged',
    ],
  },
  {
    method: 'post',
    path: '/v1/jobs',
    operationId: 'runJob',
    tag: 'Steps',
    security: tokenSchemes,
    summary: 'Run a file of the workspace once',
    description:
      'The file runs in its own process, in parallel with everything else. Every operation on a step accepts the id of the job.',
    body: {
      schema: agent.agentJobSchema,
      example: {
        jobId,
        language: 'python',
        filename: 'main.py',
        args: ['--fast'],
        stdin: '',
        timeoutMs: 60_000,
      },
    },
    answers: { 200: bytes('The frames of the job as they happen, up to its end') },
    problems: [
      ...refusedToken,
      'policy-changed',
      'policy-denied',
      'session-ended',
      'session-paused',
      'not-found',
      'outside-workspace',
      'path-conflict',
      'unsupported-by-runtime',
      'step-repeated',
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
      200: json('The steps', agent.agentStepsSchema, { steps: [{ stepId: examples.stepId, state: 'running' }] }),
    },
    problems: refusedToken,
  },
  {
    method: 'post',
    path: '/v1/steps/{stepId}/attach',
    operationId: 'attachStep',
    tag: 'Steps',
    security: tokenSchemes,
    summary: 'Replay and follow the frames of a step',
    description: 'With `burn`, an unknown id counts as used from then on, so a late request to run it is rejected.',
    params: agentStepPath,
    body: { schema: agent.attachSchema, example: { after: 0 } },
    answers: { 200: bytes('The frames with a higher seq, then the following ones') },
    problems: [...refusedToken, 'not-found', 'step-repeated'],
  },
  {
    method: 'post',
    path: '/v1/steps/{stepId}/interrupt',
    operationId: 'interruptStep',
    tag: 'Steps',
    security: tokenSchemes,
    summary: 'Interrupt a step',
    params: agentStepPath,
    answers: {
      200: json('The state of the step when the interrupt arrived', agent.interruptedSchema, { state: 'running' }),
    },
    problems: [...refusedToken, 'not-found', 'context-deleted'],
  },
  {
    method: 'post',
    path: '/v1/acks',
    operationId: 'acknowledgeSteps',
    tag: 'Steps',
    security: tokenSchemes,
    summary: 'Acknowledge steps whose ends are recorded',
    body: { schema: agent.acksSchema, example: { stepIds: [examples.stepId] } },
    answers: { 204: nothing('The agent has dropped their results') },
    problems: refusedToken,
  },
];
