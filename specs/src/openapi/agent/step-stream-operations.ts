import { inputWaitSchema, operationAnswerSchema } from '../../agent/steps.ts';
import { stdinSchema } from '../../public/run-step.ts';
import { json, nothing, output } from '../parts/answers.ts';
import type { Operation } from '../parts/operation.ts';
import { inputHeaders } from '../parts/parameters.ts';
import { tokenSchemes } from '../parts/security.ts';
import { agentCallPath, agentOutputPath, agentStepPath, refusedToken } from './operation-parts.ts';

/** The streams of a step: its input and its complete output. */
export const agentStepStreamOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/steps/{stepId}/stdin',
    operationId: 'sendStdin',
    tag: 'Steps',
    security: tokenSchemes,
    summary: 'Send a line of input to a step, or null for the end of input',
    params: agentStepPath,
    headers: inputHeaders,
    body: { schema: stdinSchema, example: { text: 'Ada' } },
    answers: { 204: nothing('Accepted; the step reads it now or when it asks for input') },
    problems: [...refusedToken, 'not-found', 'stdin-closed'],
  },
  {
    method: 'get',
    path: '/v1/steps/{stepId}/stdin',
    operationId: 'readInputWait',
    tag: 'Steps',
    security: tokenSchemes,
    summary: 'Read the input request of a step',
    params: agentStepPath,
    answers: {
      200: json('The request, null if the step does not wait for input', inputWaitSchema, {
        request: { prompt: 'Name: ', password: false },
      }),
    },
    problems: [...refusedToken, 'not-found'],
  },
  {
    method: 'post',
    path: '/v1/steps/{stepId}/operations/{call}',
    operationId: 'answerOperation',
    tag: 'Steps',
    security: tokenSchemes,
    summary: 'Answer a call of an operation',
    description:
      'The first answer counts. Repeating it has no effect, and neither has one to a call that waits no longer.',
    params: agentCallPath,
    body: { schema: operationAnswerSchema, example: { value: { text: 'Rhine, Nile, Amazon' } } },
    answers: { 204: nothing('The code has the answer, or waits no longer') },
    problems: [...refusedToken, 'not-found'],
  },
  {
    method: 'get',
    path: '/v1/steps/{stepId}/output/{stream}',
    operationId: 'readOutput',
    tag: 'Steps',
    security: tokenSchemes,
    summary: 'Read the complete output of a step on one stream',
    params: agentOutputPath,
    answers: { 200: output },
    problems: [...refusedToken, 'not-found'],
  },
];
