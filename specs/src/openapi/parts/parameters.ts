import * as z from 'zod';
import { artifactRoleSchema, artifactsQuerySchema, signatureQuerySchema } from '../../public/artifact.ts';
import { archiveQuerySchema, deleteFileQuerySchema, filePathSchema, listFilesQuerySchema } from '../../public/file.ts';
import {
  apiKeyIdSchema,
  artifactIdSchema,
  contextIdSchema,
  jobIdSchema,
  sessionIdSchema,
  stepIdSchema,
} from '../../public/ids.ts';
import {
  backgroundQuerySchema,
  eventSeqSchema,
  eventsQuerySchema,
  idempotencyKeySchema,
  listSessionsQuerySchema,
  pageQuerySchema,
  stepQuerySchema,
} from '../../public/request.ts';
import { apiKeyId, artifactId, contextId, jobId, sessionId, stepId } from './examples.ts';

/** Parameters of the public API with what a reader wants to know of them. */
const path = {
  sessionId: sessionIdSchema.meta({ description: 'The session', example: sessionId }),
  stepId: stepIdSchema.meta({ description: 'The step', example: stepId }),
  contextId: contextIdSchema.meta({
    description: 'The context: an id, or a language for its default context',
    example: contextId,
  }),
  artifactId: artifactIdSchema.meta({ description: 'The artifact', example: artifactId }),
  keyId: apiKeyIdSchema.meta({ description: 'The API key', example: apiKeyId }),
};

export const sessionPath = z.object({ sessionId: path.sessionId });
export const stepPath = z.object({ sessionId: path.sessionId, stepId: path.stepId });
export const outputPath = z.object({
  ...stepPath.shape,
  stream: z.enum(['stdout', 'stderr']).meta({ description: 'The stream', example: 'stdout' }),
});
export const contextPath = z.object({ sessionId: path.sessionId, contextId: path.contextId });
export const artifactPath = z.object({ sessionId: path.sessionId, artifactId: path.artifactId });
export const jobFilePath = z.object({
  sessionId: path.sessionId,
  jobId: jobIdSchema.meta({ description: 'The job', example: jobId }),
  filename: filePathSchema.meta({ description: 'The path of the file, in which slashes stay', example: 'stdout.txt' }),
});
export const filePath = z.object({
  sessionId: path.sessionId,
  path: filePathSchema.meta({
    description: 'Relative to the workspace; each part is percent-encoded, the slashes between them stay',
    example: 'plots/data.csv',
  }),
});
export const apiKeyPath = z.object({ keyId: path.keyId });

const page = {
  limit: pageQuerySchema.shape.limit.meta({ description: 'Items on a page', example: 20 }),
  cursor: pageQuerySchema.shape.cursor.meta({
    description: '`nextCursor` of the page before',
    example: 'MjAyNi0wMS0xNQ',
  }),
};
export const pageQuery = z.object(page);

export const listSessionsQuery = z.object({
  ...page,
  status: listSessionsQuerySchema.shape.status.meta({
    description: 'Only sessions in one of these statuses; may be given more than once',
    example: ['active'],
  }),
  metadata: listSessionsQuerySchema.shape.metadata.meta({
    description: 'Only sessions with this `key:value`; may be given more than once, then all must match',
    example: ['project:demo'],
  }),
});

const signedSeconds = artifactsQuerySchema.shape.signedSeconds.meta({
  type: 'integer',
  minimum: 1,
  maximum: 604_800,
  description: 'Signs the URLs, so that they need no API key for so long',
  example: 3600,
});
export const signedQuery = z.object({ signedSeconds });
export const listArtifactsQuery = z.object({
  ...page,
  stepId: artifactsQuerySchema.shape.stepId.meta({ description: 'Only what this step did', example: stepId }),
  signedSeconds,
});
export const signatureQuery = z.object({
  expires: signatureQuerySchema.shape.expires.meta({
    type: 'integer',
    description: 'Of a signed URL: until when it serves, in seconds since 1970',
    example: 1_768_474_800,
  }),
  signature: signatureQuerySchema.shape.signature.meta({
    description: 'Of a signed URL',
    example: 'LPJNul-wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ',
  }),
});
export const jobFileQuery = z.object({
  role: artifactRoleSchema.optional().meta({
    description: 'Which file of this name; by default what the job printed, else what it wrote, else what it was given',
    example: 'output',
  }),
  ...signatureQuery.shape,
});
export const contentHeaders = z.object({
  Range: z.string().optional().meta({ description: 'One range of bytes', example: 'bytes=0-99' }),
  'If-Range': z
    .string()
    .optional()
    .meta({ description: 'Sends the range only of this content', example: '"9f86d08…"' }),
  'If-None-Match': z.string().optional().meta({ description: 'Sends nothing of this content', example: '"9f86d08…"' }),
});

export const listFilesQuery = z.object(listFilesQuerySchema.shape);
export const deleteFileQuery = z.object(deleteFileQuerySchema.shape);
export const archiveQuery = z.object(archiveQuerySchema.shape);

/** Said outright, since what is coerced reads as nullable to the generator. */
const seq = { type: 'integer' as const, minimum: 0, example: 2 };

export const eventsQuery = z.object({
  after: eventsQuerySchema.shape.after.meta({ ...seq, description: 'Leaves out events up to this seq' }),
});

export const backgroundQuery = z.object({
  after: backgroundQuerySchema.shape.after.meta({ ...seq, description: 'Leaves out what has a seq up to this one' }),
});

export const stepQuery = z.object({
  waitSeconds: stepQuerySchema.shape.waitSeconds.meta({
    type: 'number',
    minimum: 0,
    maximum: 60,
    description: 'How long to wait for the end of the step, or for the next thing that it needs',
    example: 30,
  }),
});

export const eventsHeaders = z.object({
  'Last-Event-ID': eventSeqSchema.optional().meta({
    ...seq,
    description: 'As `after`, sent by an EventSource that connects again; goes before `after`',
  }),
});

export const idempotencyHeaders = z.object({
  'Idempotency-Key': idempotencyKeySchema.optional().meta({
    description: 'The same key with the same request gets the same answer and nothing is done twice',
    example: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  }),
});
