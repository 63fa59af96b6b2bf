import {
  codeAtCursorSchema,
  completionsSchema,
  inspectionSchema,
  parseCodeSchema,
  parsedCodeSchema,
} from '../../public/editor.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { json } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { contextPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';

const tag = 'Contexts';
const security = keySchemes;
const body = { schema: codeAtCursorSchema, example: examples.codeAtCursor };
const problems: readonly ProblemSlug[] = [
  'forbidden',
  'not-found',
  'session-ended',
  'context-busy',
  'context-deleted',
  'sandbox-failed',
  'sandbox-unreachable',
  'session-starting',
  'session-not-active',
  'session-paused',
  'database-unavailable',
];

const rules =
  'As far as the language allows, this runs none of the given code. Answers 409 `context-busy` while the context runs a step.';

/** The questions that an editor asks a live context. */
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
    answers: { 200: json('The possible completions', completionsSchema, examples.completions) },
    problems,
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/contexts/{contextId}/inspect',
    operationId: 'inspectCode',
    tag,
    security,
    summary: 'Describe the name at the cursor',
    description: rules,
    params: contextPath,
    body,
    answers: { 200: json('A MIME bundle, empty if nothing is found', inspectionSchema, examples.inspection) },
    problems,
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/contexts/{contextId}/parse',
    operationId: 'parseCode',
    tag,
    security,
    summary: 'Say whether code is complete',
    description: `For an editor that runs what was typed, or waits for another line. ${rules}`,
    params: contextPath,
    body: { schema: parseCodeSchema, example: { code: 'for x in y:' } },
    answers: { 200: json('Whether it can run', parsedCodeSchema, { status: 'incomplete', indent: '    ' }) },
    problems,
  },
];
