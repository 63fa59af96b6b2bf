import { apiKeySchema, createApiKeySchema, createdApiKeySchema } from '../../public/api-key.ts';
import { page } from '../../public/values/page.ts';
import { created, json, nothing } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { idempotencyHeaders, pageQuery } from '../parts/parameters.ts';
import { apiKeyPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';

const tag = 'API keys';
const security = keySchemes;

/** API keys. All of these operations need the scope `admin`. */
export const apiKeyOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/api-keys',
    operationId: 'createApiKey',
    tag,
    security,
    summary: 'Create an API key',
    description:
      'The key itself is shown only in this answer, and in a repeat with the same `Idempotency-Key` by the same caller. The scope `run` is for the sessions, steps and files of the key’s tenant, and `host` for what the host application decides. **`admin` covers the whole deployment, across tenants**: it manages all keys. A key with an `actor` stands for an agent or a person: its steps name that actor, whatever the request says. A server without any keys accepts every request; once it has one, it requires a key. So the first key needs the scope `admin`.',
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
    summary: 'List API keys, newest first',
    query: pageQuery,
    answers: { 200: json('A page of API keys', page(apiKeySchema), { items: [examples.apiKey], nextCursor: null }) },
    problems: ['forbidden', 'database-unavailable'],
  },
  {
    method: 'delete',
    path: '/v1/api-keys/{keyId}',
    operationId: 'revokeApiKey',
    tag,
    security,
    summary: 'Revoke an API key',
    description:
      'Within five seconds the key stops working, its running requests and streams are cut off, and URLs that were signed for it stop working. Revoking it again has no effect. The last key with the scope `admin` cannot be revoked.',
    params: apiKeyPath,
    answers: { 204: nothing('Revoked') },
    problems: ['forbidden', 'not-found', 'last-admin-key', 'database-unavailable'],
  },
];
