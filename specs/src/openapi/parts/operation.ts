import type { ResponseConfig, RouteConfig } from '@asteasolutions/zod-to-openapi';
import type { z } from 'zod';
import type { ProblemSlug } from '../../public/problems.ts';
import { problemAnswers } from './problem-answers.ts';

/** A success answer. */
export type Answer = Pick<ResponseConfig, 'content' | 'headers'> & { description: string };

/** One route of an API, as far as its documentation goes. `{name}` in the path is a parameter. */
export type Operation = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  /** Names of the security schemes, any of which lets a caller in; none where the route is open. */
  security: readonly string[];
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  body?: { schema: z.ZodType; example: object; required?: boolean };
  /** The content types of a body that is taken as it is. */
  upload?: readonly string[];
  answers: Record<number, Answer>;
  /** Refusals besides those that follow from the rest. */
  problems?: readonly ProblemSlug[];
};

/** The operation in the generator's terms, with every answer it can give. */
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

function problemsOf({ security, params, query, headers, body, problems = [] }: Operation): ProblemSlug[] {
  return [
    ...(params || query || headers || body ? (['invalid-request'] as const) : []),
    ...(security.length > 0 ? (['unauthenticated'] as const) : []),
    ...(body ? (['body-too-large', 'unsupported-media-type'] as const) : []),
    ...problems,
    'internal',
  ];
}
