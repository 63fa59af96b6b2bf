import * as z from 'zod';
import { artifactContent } from './artifact.ts';
import { auditEntrySchema } from './audit.ts';
import { commEventSchema } from './comm.ts';
import { operationDenial, operationRequest } from './operation.ts';
import { stepProposalSchema } from './proposal.ts';
import { sessionCursorSchema } from './request.ts';
import { actorNameSchema, actorSchema, hiddenInput, stepSchema } from './step.ts';
import { sessionIdSchema, stepIdSchema } from './values/ids.ts';
import { expressionResultSchema, resultSchema, resultUpdateSchema, stepErrorSchema } from './values/result.ts';
import { int4 } from './values/storable.ts';

const names = z.array(z.string().max(512)).max(10_000);

/** The payloads that come from the session-agent. Its frames and the public events share them. */
export const eventContent = {
  queued: z.object({ position: int4(0) }),
  /** A silent step has the count that the next other step will have, and its place among the silent steps of its kernel. */
  started: z.object({ contextEpoch: int4(1), executionCount: int4(1), silentCount: int4(1).optional() }),
  result: resultSchema,
  result_update: resultUpdateSchema,
  expression: z.object({ name: z.string().max(128), value: expressionResultSchema }),
  /** As an agent cuts it. */
  error: stepErrorSchema.extend({
    name: z.string().max(256),
    message: z.string().max(65_536),
    traceback: z.array(z.string().max(16_384)).max(200),
  }),
  comm: commEventSchema,
  output_cleared: z.object({
    wait: z
      .boolean()
      .meta({ description: 'Whether to clear only when the next output comes, so that nothing flickers' }),
  }),
  input_request: z.object({ prompt: z.string().max(65_536), password: hiddenInput }),
  truncated: z.object({ stream: z.enum(['stdout', 'stderr', 'result']), bytes: z.number().int().min(0) }),
  state_reset: z.object({
    contextEpoch: int4(1),
    restored: names,
    replayed: names,
    lost: names.meta({ description: "Names; '*' stands for all" }),
    reasons: names.optional().meta({ description: 'Why each name of `lost` is lost, in the same order' }),
  }),
};

/** The loss of a context's memory, as a step announces it. */
export type StateReset = z.infer<typeof eventContent.state_reset>;

/** `started` in the public event and in stored frames, in which a job has no counts. */
export const startedSchema = z.object({
  contextEpoch: int4(1).nullable().meta({ description: 'null for a job' }),
  executionCount: int4(1).nullable().meta({ description: 'null for a job or a silent step' }),
});

const envelope = {
  seq: z.number().int().min(1).meta({
    description:
      'Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it',
  }),
  time: z.iso.datetime(),
  sessionId: sessionIdSchema,
  stepId: stepIdSchema,
  contextEpoch: z.number().int().nullable(),
  actor: actorSchema,
  actorName: actorNameSchema.optional(),
};

const event = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), ...envelope, ...shape });

export const stepEventSchema = z
  .discriminatedUnion('type', [
    event('queued', eventContent.queued.shape),
    event('started', startedSchema.shape),
    event('stdout', { text: z.string() }),
    event('stderr', { text: z.string() }),
    event('result', eventContent.result.shape),
    event('result_update', eventContent.result_update.shape),
    event('expression', eventContent.expression.shape),
    event('error', eventContent.error.shape),
    event('comm', eventContent.comm.shape),
    event('output_cleared', eventContent.output_cleared.shape),
    event('input_request', eventContent.input_request.shape),
    event('operation_request', operationRequest.shape),
    event('operation_denied', operationDenial.shape),
    event('truncated', eventContent.truncated.shape),
    event('state_reset', eventContent.state_reset.shape),
    event('artifact', artifactContent.shape),
    event('proposal', stepProposalSchema.shape),
    event('finished', { step: stepSchema }),
  ])
  .meta({ id: 'StepEvent' });

const withCursor = z.object({ cursor: sessionCursorSchema });

/** An event in the stream of a session: of a step, or of anything else that the audit log has. */
export const sessionEventSchema = z
  .union([
    z.intersection(stepEventSchema, withCursor),
    auditEntrySchema.omit({ keyId: true }).extend({ type: z.literal('session'), ...withCursor.shape }),
  ])
  .meta({ id: 'SessionEvent' });

export type StepEvent = z.infer<typeof stepEventSchema>;
