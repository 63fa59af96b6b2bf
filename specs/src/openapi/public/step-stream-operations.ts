import type { ProblemSlug } from '../../public/problems.ts';
import { stdinSchema } from '../../public/step.ts';
import { nothing, output } from '../parts/answers.ts';
import type { Operation } from '../parts/operation.ts';
import { outputPath, stepPath } from '../parts/parameters.ts';
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
  'database-unavailable',
];

/** The streams of one step: its input, and its whole output. */
export const stepStreamOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/steps/{stepId}/stdin',
    operationId: 'sendStdin',
    tag,
    security,
    summary: 'Give a step a line of input',
    description:
      'Answers what the code asks for, or waits until it asks. `null` is the end of input. Only for steps that were sent with `stdin: true`.',
    params: stepPath,
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
    summary: 'Read all that a step wrote to a stream',
    description:
      'For a stream of which the step itself shows head and tail alone (`truncated`). The sandbox keeps it, up to a limit and only as ' +
      'long as it lives itself; 404 where nothing is kept.',
    params: outputPath,
    answers: { 200: output },
    problems,
  },
];
