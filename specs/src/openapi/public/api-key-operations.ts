import { apiKeySchema, createApiKeySchema, createdApiKeySchema } from '../../public/api-key.ts';
import { page } from '../../public/page.ts';
import { created, json, nothing } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { apiKeyPath, idempotencyHeaders, pageQuery } from '../parts/parameters.ts';
import { keySchemes } from '../parts/security.ts';

const tag = 'API keys';
const security = keySchemes;

/** API keys; all of these need the scope `admin`. */
export const apiKeyOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/api-keys',
    operationId: 'createApiKey',
    tag,
    security,
    summary: 'Create an API key',
    description:
      'The answer is the only place where the key itself is ever shown. A server that let everybody in, for want of keys, asks for one from then on.',
    headers: idempotencyHeaders,
    body: { schema: createApiKeySchema, example: { tenant: 'acme', scopes: ['run'], name: 'ci' } },
    answers: {
      201: created('The key', createdApiKeySchema, { ...examples.apiKey, key: 'hf_…' }),
    },
    problems: ['forbidden', 'not-found', 'idempotency-conflict', 'idempotency-mismatch', 'database-unavailable'],
  },
  {
    method: 'get',
    path: '/v1/api-keys',
    operationId: 'listApiKeys',
    tag,
    security,
    summary: 'List API keys, the newest first',
    query: pageQuery,
    answers: { 200: json('One page', page(apiKeySchema), { items: [examples.apiKey], nextCursor: null }) },
    problems: ['forbidden', 'database-unavailable'],
  },
  {
    method: 'delete',
    path: '/v1/api-keys/{keyId}',
    operationId: 'revokeApiKey',
    tag,
    security,
    summary: 'Revoke an API key',
    description: 'It lets nobody in from then on. Revoking it again is no error.',
    params: apiKeyPath,
    answers: { 204: nothing('Revoked') },
    problems: ['forbidden', 'not-found', 'database-unavailable'],
  },
];
