import { stdinSchema } from '../../public/run-step.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { nothing, output } from '../parts/answers.ts';
import type { Operation } from '../parts/operation.ts';
import { inputHeaders } from '../parts/parameters.ts';
import { outputPath, stepPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';

const tag = 'Steps';
const security = keySchemes;
const problems: readonly ProblemSlug[] = [
  'forbidden',
  'not-found',
  'session-ended',
  'sandbox-failed',
  'sandbox-unreachable',
  'session-starting',
  'session-not-active',
  'session-paused',
  'database-unavailable',
];

/** The streams of a step: its input and its complete output. */
export const stepStreamOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/steps/{stepId}/stdin',
    operationId: 'sendStdin',
    tag,
    security,
    summary: 'Send a line of input to a step',
    description:
      'The code reads the line now, or later if it does not wait for input yet. `null` is the end of input. Only for steps that were sent with `stdin: true`.',
    params: stepPath,
    headers: inputHeaders,
    body: { schema: stdinSchema, example: { text: 'Ada' } },
    answers: { 204: nothing('Accepted') },
    problems: [...problems, 'stdin-closed'],
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/steps/{stepId}/output/{stream}',
    operationId: 'readOutput',
    tag,
    security,
    summary: 'Read the complete output of a step on one stream',
    description:
      'For long output, of which the step itself shows only the beginning and the end (`truncated`). The sandbox stores the output up to ' +
      'a limit and until the sandbox ends. Answers 404 if nothing is stored.',
    params: outputPath,
    answers: { 200: output },
    problems,
  },
];
