import * as agent from '../../agent/contexts.ts';
import { backgroundPageSchema } from '../../public/context.ts';
import {
  codeAtCursorSchema,
  completionsSchema,
  inspectionSchema,
  parseCodeSchema,
  parsedCodeSchema,
} from '../../public/editor.ts';
import { json, nothing } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { backgroundQuery } from '../parts/parameters.ts';
import { tokenSchemes } from '../parts/security.ts';
import { agentContextPath, refusedToken } from './operation-parts.ts';

const context = { contextId: 'python', language: 'python', contextEpoch: 1, state: 'idle', cwd: '.' };

/** Contexts and their kernels. */
export const agentContextOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/contexts',
    operationId: 'createContext',
    tag: 'Contexts',
    security: tokenSchemes,
    summary: 'Create a context',
    body: {
      schema: agent.agentCreateContextSchema,
      example: { contextId: examples.contextId, language: 'node', env: {} },
    },
    answers: {
      201: json('The context', agent.agentContextSchema, {
        ...context,
        contextId: examples.contextId,
        language: 'node',
      }),
    },
    problems: [
      ...refusedToken,
      'policy-changed',
      'policy-denied',
      'session-ended',
      'context-deleted',
      'quota-exceeded',
      'unsupported-by-runtime',
    ],
  },
  {
    method: 'get',
    path: '/v1/languages',
    operationId: 'listLanguages',
    tag: 'Contexts',
    security: tokenSchemes,
    summary: 'List the languages of contexts',
    answers: { 200: json('The languages', agent.agentLanguagesSchema, { languages: ['python', 'node', 'ir', 'r'] }) },
    problems: refusedToken,
  },
  {
    method: 'get',
    path: '/v1/contexts',
    operationId: 'listContexts',
    tag: 'Contexts',
    security: tokenSchemes,
    summary: 'List the contexts',
    answers: { 200: json('The contexts', agent.agentContextsSchema, { contexts: [context] }) },
    problems: refusedToken,
  },
  {
    method: 'delete',
    path: '/v1/contexts/{contextId}',
    operationId: 'deleteContext',
    tag: 'Contexts',
    security: tokenSchemes,
    summary: 'Delete a context',
    params: agentContextPath,
    answers: { 204: nothing('Deleted') },
    problems: [...refusedToken, 'not-found', 'context-deleted'],
  },
  {
    method: 'post',
    path: '/v1/contexts/{contextId}/restart',
    operationId: 'restartContext',
    tag: 'Contexts',
    security: tokenSchemes,
    summary: 'Restart a context',
    params: agentContextPath,
    answers: { 200: json('The context as it is now', agent.agentContextSchema, { ...context, contextEpoch: 2 }) },
    problems: [...refusedToken, 'session-ended', 'session-paused', 'not-found', 'context-deleted'],
  },
  {
    method: 'get',
    path: '/v1/contexts/{contextId}/symbols',
    operationId: 'listSymbols',
    tag: 'Contexts',
    security: tokenSchemes,
    summary: 'List the names that steps have defined',
    params: agentContextPath,
    answers: { 200: json('The names', agent.agentSymbolsSchema, { contextEpoch: 1, stale: false, symbols: [] }) },
    problems: [...refusedToken, 'not-found', 'context-deleted'],
  },
  {
    method: 'post',
    path: '/v1/contexts/{contextId}/complete',
    operationId: 'completeCode',
    tag: 'Contexts',
    security: tokenSchemes,
    summary: 'Complete code at the cursor',
    params: agentContextPath,
    body: { schema: codeAtCursorSchema, example: examples.codeAtCursor },
    answers: { 200: json('The possible completions', completionsSchema, examples.completions) },
    problems: [...refusedToken, 'not-found', 'context-deleted', 'context-busy'],
  },
  {
    method: 'post',
    path: '/v1/contexts/{contextId}/inspect',
    operationId: 'inspectCode',
    tag: 'Contexts',
    security: tokenSchemes,
    summary: 'Describe the name at the cursor',
    params: agentContextPath,
    body: { schema: codeAtCursorSchema, example: examples.codeAtCursor },
    answers: { 200: json('A MIME bundle, empty if nothing is found', inspectionSchema, examples.inspection) },
    problems: [...refusedToken, 'not-found', 'context-deleted', 'context-busy'],
  },
  {
    method: 'post',
    path: '/v1/contexts/{contextId}/parse',
    operationId: 'parseCode',
    tag: 'Contexts',
    security: tokenSchemes,
    summary: 'Say whether code is complete',
    params: agentContextPath,
    body: { schema: parseCodeSchema, example: { code: 'for x in y:' } },
    answers: { 200: json('Whether it can run', parsedCodeSchema, { status: 'incomplete', indent: '    ' }) },
    problems: [...refusedToken, 'not-found', 'context-deleted', 'context-busy'],
  },
  {
    method: 'get',
    path: '/v1/contexts/{contextId}/background',
    operationId: 'listBackground',
    tag: 'Contexts',
    security: tokenSchemes,
    summary: 'Read the background output of a context',
    params: agentContextPath,
    query: backgroundQuery,
    answers: { 200: json('The stored background output', backgroundPageSchema, examples.background) },
    problems: [...refusedToken, 'not-found', 'context-deleted'],
  },
];
