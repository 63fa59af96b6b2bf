import * as z from 'zod';
import { operationCallSchema } from '../../agent/steps.ts';
import { contextIdSchema, processIdSchema, stepIdSchema } from '../../public/values/ids.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import * as examples from '../parts/examples.ts';

export const agentStepPath = z.object({
  stepId: stepIdSchema.meta({ description: 'The step', example: examples.stepId }),
});
export const agentOutputPath = z.object({
  ...agentStepPath.shape,
  stream: z.enum(['stdout', 'stderr']).meta({ description: 'The stream', example: 'stdout' }),
});
export const agentCallPath = z.object({
  ...agentStepPath.shape,
  call: operationCallSchema.shape.call.meta({ description: 'The number of the call', example: 1 }),
});
export const agentContextPath = z.object({
  contextId: contextIdSchema.meta({ description: 'The context', example: examples.contextId }),
});

export const processId = 'prc_01kaf3y2bw4x5y6z7a8b9cdefg';
export const agentProcessPath = z.object({
  processId: processIdSchema.meta({ description: 'The process', example: processId }),
});
export const agentProcessOutputPath = z.object({
  ...agentProcessPath.shape,
  stream: z.enum(['stdout', 'stderr']).meta({ description: 'The stream', example: 'stdout' }),
});

/** The problem of a token for another sandbox, session or epoch. */
export const refusedToken: readonly ProblemSlug[] = ['wrong-sandbox'];
