import * as z from 'zod';
import { artifactContent } from './artifact.ts';
import { sessionIdSchema, stepIdSchema } from './ids.ts';
import { int4 } from './int4.ts';
import { actorSchema, resultSchema, stepErrorSchema, stepSchema } from './step.ts';

/** The parts of the events whose content comes from the session-agent, in one place for its frames and for the public events. */
export const eventContent = {
  queued: z.object({ position: int4(0) }),
  started: z.object({ contextEpoch: int4(1), executionCount: int4(1) }),
  result: resultSchema,
  error: stepErrorSchema,
  input_request: z.object({
    prompt: z.string().max(65_536),
    password: z.boolean().meta({ description: 'What is typed is not to be shown' }),
  }),
  truncated: z.object({ stream: z.enum(['stdout', 'stderr', 'result']), bytes: z.number().int().min(0) }),
  state_reset: z.object({
    contextEpoch: int4(1),
    restored: z.array(z.string()),
    replayed: z.array(z.string()),
    lost: z.array(z.string()).meta({ description: "Names; '*' stands for all" }),
  }),
};

/** As the public event has it, and the frames that are kept. */
export const startedSchema = z.object({
  contextEpoch: int4(1).nullable().meta({ description: 'null for a job' }),
  executionCount: int4(1).nullable().meta({ description: 'null for a job' }),
});

const common = {
  seq: z.number().int().min(1).meta({ description: 'Counts up by one within the step' }),
  time: z.iso.datetime(),
  sessionId: sessionIdSchema,
  stepId: stepIdSchema,
  contextEpoch: z.number().int().nullable(),
  actor: actorSchema,
};

const event = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), ...common, ...shape });

export const stepEventSchema = z
  .discriminatedUnion('type', [
    event('queued', eventContent.queued.shape),
    event('started', startedSchema.shape),
    event('stdout', { text: z.string() }),
    event('stderr', { text: z.string() }),
    event('result', eventContent.result.shape),
    event('error', eventContent.error.shape),
    event('input_request', eventContent.input_request.shape),
    event('truncated', eventContent.truncated.shape),
    event('state_reset', eventContent.state_reset.shape),
    event('artifact', artifactContent.shape),
    event('finished', { step: stepSchema }),
  ])
  .meta({ id: 'StepEvent' });

export type StepEvent = z.infer<typeof stepEventSchema>;
