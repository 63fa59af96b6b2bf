import type { ResponseConfig, RouteConfig } from '@asteasolutions/zod-to-openapi';
import type { z } from 'zod';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { problemAnswers } from './problem-answers.ts';
import { keySchemes } from './security.ts';

/** A success answer. */
export type Answer = Pick<ResponseConfig, 'content' | 'headers'> & { description: string };

/** The documentation of one operation. `{name}` in the path is a parameter. */
export type Operation = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  /** Names of the security schemes; a caller needs to meet one of them. Empty if the operation is open to all. */
  security: readonly string[];
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  body?: { schema: z.ZodType; example: object; required?: boolean };
  /** The content types of a body of raw bytes. */
  upload?: readonly string[];
  answers: Record<number, Answer>;
  /** Problems other than those that follow from the fields above. */
  problems?: readonly ProblemSlug[];
};

/** The operation in the form that the generator takes, with all of its answers. */
export function routeConfig(operation: Operation): RouteConfig {
  const { method, path, operationId, tag, summary, description, params, query, headers, body, upload } = operation;
  return {
    method,
    path,
    operationId,
    tags: [tag],
    summary,
    ...(description && { description }),
    security: operation.security.map((scheme) => ({ [scheme]: [] })),
    request: {
      ...(params && { params }),
      ...(query && { query }),
      ...(headers && { headers }),
      ...(body && {
        body: {
          required: body.required ?? true,
          content: { 'application/json': { schema: body.schema, example: body.example } },
        },
      }),
      ...(upload && {
        body: { required: true, content: Object.fromEntries(upload.map((contentType) => [contentType, binary])) },
      }),
    },
    responses: { ...operation.answers, ...problemAnswers(problemsOf(operation)) },
  };
}

const binary = { schema: { type: 'string', format: 'binary' } } as const;

const isKey = (scheme: string) => (keySchemes as readonly string[]).includes(scheme);

function problemsOf({ security, params, query, headers, body, problems = [] }: Operation): ProblemSlug[] {
  return [
    ...(params || query || headers || body ? (['invalid-request'] as const) : []),
    ...(security.length > 0 ? (['unauthenticated'] as const) : []),
    ...(security.some(isKey) ? (['issuer-unreachable'] as const) : []),
    ...(body ? (['body-too-large', 'unsupported-media-type'] as const) : []),
    ...problems,
    'internal',
  ];
}
