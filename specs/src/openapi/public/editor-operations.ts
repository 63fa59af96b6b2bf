import { codeAtCursorSchema, completionsSchema, inspectionSchema } from '../../public/context.ts';
import type { ProblemSlug } from '../../public/problems.ts';
import { json } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { contextPath } from '../parts/parameters.ts';
import { keySchemes } from '../parts/security.ts';

const tag = 'Contexts';
const security = keySchemes;
const body = { schema: codeAtCursorSchema, example: examples.codeAtCursor };
const problems: readonly ProblemSlug[] = [
  'forbidden',
  'not-found',
  'session-ended',
  'session-busy',
  'context-deleted',
  'sandbox-failed',
  'sandbox-unreachable',
  'session-starting',
  'database-unavailable',
];

const rules =
  "Nothing of the caller's code runs for it, as far as the language allows. While the context runs a step it is 409 `session-busy`.";

/** What an editor asks of a living context. */
export const editorOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/contexts/{contextId}/complete',
    operationId: 'completeCode',
    tag,
    security,
    summary: 'Complete code at the cursor',
    description: rules,
    params: contextPath,
    body,
    answers: { 200: json('What could stand there', completionsSchema, examples.completions) },
    problems,
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/contexts/{contextId}/inspect',
    operationId: 'inspectCode',
    tag,
    security,
    summary: 'Say what is known of the name at the cursor',
    description: rules,
    params: contextPath,
    body,
    answers: { 200: json('A MIME bundle, empty where nothing is found', inspectionSchema, examples.inspection) },
    problems,
  },
];
