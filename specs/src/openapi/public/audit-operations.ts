import {
  auditEntrySchema,
  auditQuerySchema,
  auditStatisticsSchema,
  tenantAuditEntrySchema,
  tenantAuditQuerySchema,
} from '../../public/audit.ts';
import { page } from '../../public/values/page.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { json } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { sessionPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';

const tag = 'Audit';
const problems: readonly ProblemSlug[] = ['forbidden', 'not-found', 'database-unavailable'];

const entry = {
  id: 'a0000000000000000042',
  time: examples.time(9),
  sessionId: examples.sessionId,
  turn: null,
  stepId: null,
  actor: 'host',
  actorName: null,
  keyId: examples.apiKeyId,
  operation: 'session.pause',
  arguments: { from: 'active', status: 'pausing', epoch: 1, force: false },
  decision: 'allowed',
  rule: null,
  count: 1,
  durationMs: null,
  tokens: null,
  cost: null,
};

const tenantEntry = {
  id: 'a0000000000000000017',
  time: examples.time(0),
  tenant: 'acme',
  actor: 'host',
  actorName: null,
  keyId: examples.apiKeyId,
  operation: 'snapshot.keep',
  arguments: { id: 'snp_01kaf40d6e7f8g9h0j1k2m3n4p', name: 'prepared' },
};

/** The log of everything that was done in a session, and refused, and of what belongs to no session. */
export const auditOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/audit',
    operationId: 'listTenantAudit',
    tag,
    security: keySchemes,
    summary: 'List the audit log of API keys and named snapshots, oldest first',
    description:
      'It has what belongs to a tenant and to no session: API keys that were created and revoked, and snapshots that were kept under a name and deleted. Needs the scope `host`; a key with the scope `admin` sees all tenants. With `Accept: application/x-ndjson` the answer has all entries from the cursor on, one to a line.',
    query: tenantAuditQuerySchema,
    answers: {
      200: {
        description: 'A page of entries, or all of them as lines',
        content: {
          ...json('', page(tenantAuditEntrySchema), { items: [tenantEntry], nextCursor: null }).content,
          'application/x-ndjson': { schema: tenantAuditEntrySchema, example: tenantEntry },
        },
      },
    },
    problems: ['forbidden', 'database-unavailable'],
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/audit',
    operationId: 'listAudit',
    tag,
    security: keySchemes,
    summary: 'List the audit log of a session, oldest first',
    description:
      'With `Accept: application/x-ndjson` the answer has all entries from the cursor on, one to a line. Entries are never changed, and stay readable when the session has been deleted, until their own retention ends.',
    params: sessionPath,
    query: auditQuerySchema,
    answers: {
      200: {
        description: 'A page of entries, or all of them as lines',
        content: {
          ...json('', page(auditEntrySchema), { items: [entry], nextCursor: null }).content,
          'application/x-ndjson': { schema: auditEntrySchema, example: entry },
        },
      },
    },
    problems,
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/audit/statistics',
    operationId: 'readAuditStatistics',
    tag,
    security: keySchemes,
    summary: 'Count the entries of the audit log by operation',
    params: sessionPath,
    answers: {
      200: json('The counts', auditStatisticsSchema, {
        items: [{ operation: 'step.run', count: 12, denied: 1, durationMs: 840.5, tokens: 0, cost: '0' }],
      }),
    },
    problems,
  },
];
