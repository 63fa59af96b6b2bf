import * as z from 'zod';
import { artifactRoleSchema, artifactsQuerySchema, signatureQuerySchema } from '../../public/artifact.ts';
import {
  archiveQuerySchema,
  deleteFileQuerySchema,
  fileSignatureQuerySchema,
  listFilesQuerySchema,
  statFileQuerySchema,
} from '../../public/file.ts';
import { runJobQuerySchema } from '../../public/job.ts';
import { operationsQuerySchema } from '../../public/operation.ts';
import { proposalsQuerySchema } from '../../public/proposal.ts';
import {
  backgroundQuerySchema,
  eventSeqSchema,
  eventsQuerySchema,
  idempotencyKeySchema,
  listSessionsQuerySchema,
  listStepsQuerySchema,
  runStepQuerySchema,
  stepQuerySchema,
} from '../../public/request.ts';
import { pageQuerySchema } from '../../public/values/page.ts';
import { stepId } from './examples.ts';

// Coerced parameters state their type, because the generator takes them for nullable.

const page = {
  limit: pageQuerySchema.shape.limit.meta({ description: 'Maximum number of items on the page', example: 20 }),
  cursor: pageQuerySchema.shape.cursor.meta({
    description: '`nextCursor` of the previous page',
    example: 'MjAyNi0wMS0xNQ',
  }),
};
export const pageQuery = z.object(page);

export const operationsQuery = z.object({
  ...page,
  status: operationsQuerySchema.shape.status.meta({
    description: '`pending`: only those that wait for an answer',
    example: 'pending',
  }),
});

export const proposalsQuery = z.object({
  ...page,
  status: proposalsQuerySchema.shape.status.meta({ description: 'Only proposals in this status', example: 'open' }),
});

export const listSessionsQuery = z.object({
  ...page,
  status: listSessionsQuerySchema.shape.status.meta({
    description: 'Only sessions in one of these statuses; can be given more than once',
    example: ['active'],
  }),
  metadata: listSessionsQuerySchema.shape.metadata.meta({
    description: 'Only sessions with this `key:value`; if given more than once, all of them must match',
    example: ['project:demo'],
  }),
  clientKey: listSessionsQuerySchema.shape.clientKey.meta({
    description: 'Only the sessions that were created with this key',
    example: 'notebook-7',
  }),
  createdAfter: listSessionsQuerySchema.shape.createdAfter.meta({
    description: 'Only sessions that were created at this time or later',
    example: '2026-01-15T09:00:00Z',
  }),
  createdBefore: listSessionsQuerySchema.shape.createdBefore.meta({
    description: 'Only sessions that were created before this time',
    example: '2026-01-16T09:00:00Z',
  }),
  order: listSessionsQuerySchema.shape.order.meta({
    description: '`desc`: the newest first; `asc`: the oldest first',
    example: 'desc',
  }),
});

export const listStepsQuery = z.object({
  ...page,
  order: listStepsQuerySchema.shape.order.meta({
    description: '`asc`: the first step first; `desc`: the latest first',
    example: 'desc',
  }),
});

const signedSeconds = artifactsQuerySchema.shape.signedSeconds.meta({
  type: 'integer',
  minimum: 1,
  maximum: 604_800,
  description: 'Return signed URLs that work without an API key for this many seconds',
  example: 3600,
});
export const signedQuery = z.object({ signedSeconds });
export const listArtifactsQuery = z.object({
  ...page,
  stepId: artifactsQuerySchema.shape.stepId.meta({ description: 'Only artifacts of this step', example: stepId }),
  signedSeconds,
});
export const runJobQuery = z.object({
  inline: runJobQuerySchema.shape.inline.meta({
    type: 'string',
    description: '`true` adds stdout and stderr to the JSON answer',
    example: 'true',
  }),
  signedSeconds,
});
const waitSeconds = {
  type: 'number' as const,
  minimum: 0,
  maximum: 60,
  example: 30,
};
export const jobQuery = z.object({
  waitSeconds: stepQuerySchema.shape.waitSeconds.meta({
    ...waitSeconds,
    description: 'How long to wait until the job ends',
  }),
  ...runJobQuery.shape,
});
export const listJobsQuery = z.object({ ...listStepsQuery.shape, ...runJobQuery.shape });
export const signatureQuery = z.object({
  expires: signatureQuerySchema.shape.expires.meta({
    type: 'integer',
    description: 'Only in a signed URL: the time at which it expires, in seconds since 1970',
    example: 1_768_474_800,
  }),
  key: signatureQuerySchema.shape.key.meta({
    description: 'Only in a signed URL: the API key that asked for it. The URL stops working when that key is revoked',
    example: 'key_01kaf3xq5t7e8m9n0p1r2s3t4v',
  }),
  signature: signatureQuerySchema.shape.signature.meta({
    description: 'Only in a signed URL: its signature',
    example: 'LPJNul-wow4m6DsqxbninshWHlwfp0JecwQzYpOLmCQ',
  }),
});
export const fileSignatureQuery = z.object({
  operation: fileSignatureQuerySchema.shape.operation.meta({
    description: 'Only in a signed URL: the operation that it allows',
    example: 'read',
  }),
  ...signatureQuery.shape,
});
export const jobFileQuery = z.object({
  role: artifactRoleSchema.optional().meta({
    description:
      'Role of the file if several have this name; by default printed output comes first, then files that the job wrote, then its input',
    example: 'output',
  }),
  ...signatureQuery.shape,
});
export const contentHeaders = z.object({
  Range: z.string().optional().meta({ description: 'A single range of bytes', example: 'bytes=0-99' }),
  'If-Range': z
    .string()
    .optional()
    .meta({ description: 'Send the range only if the content has this ETag', example: '"9f86d08…"' }),
  'If-None-Match': z
    .string()
    .optional()
    .meta({ description: 'Answer 304 if the content has this ETag', example: '"9f86d08…"' }),
});

export const listFilesQuery = z.object(listFilesQuerySchema.shape);
export const statFileQuery = z.object(statFileQuerySchema.shape);
export const deleteFileQuery = z.object(deleteFileQuerySchema.shape);
export const archiveQuery = z.object(archiveQuerySchema.shape);

const seq = { type: 'integer' as const, minimum: 0, example: 2 };

export const eventsQuery = z.object({
  after: eventsQuerySchema.shape.after.meta({ ...seq, description: 'Only events after this sequence number' }),
  token: eventsQuerySchema.shape.token,
  brief: eventsQuerySchema.shape.brief,
});

export const runStepQuery = z.object(runStepQuerySchema.shape);

export const backgroundQuery = z.object({
  after: backgroundQuerySchema.shape.after.meta({ ...seq, description: 'Only items after this sequence number' }),
});

export const stepQuery = z.object({
  waitSeconds: stepQuerySchema.shape.waitSeconds.meta({
    ...waitSeconds,
    description: 'How long to wait until the step ends or needs something',
  }),
  after: stepQuerySchema.shape.after.meta({
    description:
      'The `operationId` of the last need that the client has seen: the wait goes on while the step needs nothing but that operation and earlier ones',
  }),
});

export const eventsHeaders = z.object({
  'Last-Event-ID': eventSeqSchema.optional().meta({
    ...seq,
    description: 'Sent by an EventSource that reconnects; same meaning as `after` and overrides it',
  }),
});

export const idempotencyHeaders = z.object({
  'Idempotency-Key': idempotencyKeySchema.optional().meta({
    description: 'Repeating a request with the same key returns the same answer and does nothing twice',
    example: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  }),
});

export const inputHeaders = z.object({
  'Idempotency-Key': idempotencyHeaders.shape['Idempotency-Key'].meta({
    ...idempotencyHeaders.shape['Idempotency-Key'].meta(),
    description: 'Another request with the same key gives the step no input again while it runs',
  }),
});
