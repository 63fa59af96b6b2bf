import * as z from 'zod';
import {
  apiKeyIdSchema,
  artifactIdSchema,
  contextIdSchema,
  jobIdSchema,
  operationIdSchema,
  portIdSchema,
  processIdSchema,
  proposalIdSchema,
  sessionIdSchema,
  shareIdSchema,
  snapshotIdSchema,
  snapshotNameSchema,
  stepIdSchema,
} from '../../public/values/ids.ts';
import { filePathSchema, sandboxPathSchema } from '../../public/values/workspace-path.ts';
import { apiKeyId, contextId, operationId, portId, sessionId, shareId, stepId } from './examples.ts';
import { artifactId, jobId } from './file-examples.ts';
import { processId } from './process-examples.ts';
import { proposalId } from './proposal-examples.ts';

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
export const processPath = z.object({
  sessionId: path.sessionId,
  processId: processIdSchema.meta({ description: 'The process', example: processId }),
});
export const processOutputPath = z.object({
  ...processPath.shape,
  stream: z.enum(['stdout', 'stderr']).meta({ description: 'The stream', example: 'stdout' }),
});
export const contextPath = z.object({ sessionId: path.sessionId, contextId: path.contextId });
export const operationPath = z.object({
  sessionId: path.sessionId,
  operationId: operationIdSchema.meta({ description: 'The operation', example: operationId }),
});
export const artifactPath = z.object({ sessionId: path.sessionId, artifactId: path.artifactId });
const ofJob = { sessionId: path.sessionId, jobId: jobIdSchema.meta({ description: 'The job', example: jobId }) };
export const jobPath = z.object(ofJob);
export const jobFilePath = z.object({
  ...ofJob,
  filename: filePathSchema.meta({
    description: 'Path of the file; slashes are not percent-encoded',
    example: 'stdout.txt',
  }),
});
export const filePath = z.object({
  sessionId: path.sessionId,
  path: sandboxPathSchema.meta({
    description:
      'Relative to the workspace, or absolute: `files//tmp/x` and `files/%2Ftmp%2Fx` are `/tmp/x`. Percent-encode each part, but not the slashes between the parts of a relative path',
    example: 'plots/data.csv',
  }),
});
export const snapshotPath = z.object({
  sessionId: path.sessionId,
  snapshotId: snapshotIdSchema.meta({ description: 'The snapshot', example: 'snp_01kaf41h2j3k4m5n6p7q8r9s0t' }),
});
export const proposalPath = z.object({
  sessionId: path.sessionId,
  proposalId: proposalIdSchema.meta({ description: 'The proposal', example: proposalId }),
});
export const snapshotNamePath = z.object({
  name: snapshotNameSchema.meta({ description: 'The name of the snapshot', example: 'with-data' }),
});
export const sharePath = z.object({
  sessionId: path.sessionId,
  shareId: shareIdSchema.meta({ description: 'The share link', example: shareId }),
});
export const portPath = z.object({
  sessionId: path.sessionId,
  portId: portIdSchema.meta({ description: 'The open port', example: portId }),
});
export const apiKeyPath = z.object({ keyId: path.keyId });
