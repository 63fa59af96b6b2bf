import * as z from 'zod';
import { operationNameLengthMax, operationNamePattern } from './policy.ts';
import { usageSchema } from './values/budget.ts';
import { operationIdSchema, sessionIdSchema, stepIdSchema } from './values/ids.ts';
import { pageQuerySchema } from './values/page.ts';
import { json } from './values/result.ts';
import { text } from './values/storable.ts';

/** The most bytes of JSON that a call's arguments may have, and its value. */
export const operationArgumentsBytesMax = 1024 * 1024;
export const operationValueBytesMax = 4 * 1024 * 1024;

/** Dots separate the parts: `llm.complete`. */
export const operationNameSchema = z
  .string()
  .max(operationNameLengthMax)
  .regex(operationNamePattern, 'must be words with dots between them, such as llm.complete');

const ownFamilies = /^(world|memo|facts|session)\.|^(eval|fixpoint)$/i;

/** Whether the data-plane answers the operation itself, or refuses it, and never the host. Pure. */
export const isOwnOperation = (name: string): boolean => ownFamilies.test(name);

/** The request of a step's code to its host. */
export const operationRequest = z.object({
  operationId: operationIdSchema,
  name: operationNameSchema,
  arguments: z.array(json).meta({ description: 'The arguments of the call, in order' }),
});
export type OperationRequest = z.infer<typeof operationRequest>;

/** Shown in place of a request that the policy denies. The code has the error, and the host has nothing to do. */
export const operationDenial = operationRequest.omit({ arguments: true }).extend({
  rule: z.string().meta({ description: 'The rule of the policy that forbids the call' }),
});

export const operationStatuses = ['pending', 'succeeded', 'failed', 'timed_out', 'denied', 'ended'] as const;
export type OperationStatus = (typeof operationStatuses)[number];

/** A call of a step's code that the host answers. */
export const operationSchema = z
  .object({
    id: operationIdSchema,
    sessionId: sessionIdSchema,
    stepId: stepIdSchema,
    name: operationNameSchema,
    arguments: operationRequest.shape.arguments,
    status: z.enum(operationStatuses).meta({
      description:
        '`succeeded` and `failed` are the answers of the host. `timed_out`: none came in time. `denied`: the policy forbids it. `ended`: the step ended before',
    }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().meta({ description: 'Without an answer by then, the code gets an error' }),
    answeredAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Operation' });
export type Operation = z.infer<typeof operationSchema>;

const usage = usageSchema
  .optional()
  .meta({ description: 'The amount that answering has cost, which the budget is charged for' });
const errorName = text(128).min(1).default('OperationError');

/** `status=pending`: only those that wait for an answer now. */
export const operationsQuerySchema = pageQuerySchema.extend({ status: z.literal('pending').optional() });

/** `POST …/operations/{operationId}/result`. */
export const operationResultSchema = z
  .union([
    z.strictObject({ value: json.meta({ description: 'The value that the call returns' }), usage }),
    z.strictObject({
      error: z
        .strictObject({ name: errorName, message: text(65_536) })
        .meta({ description: 'The error that the call raises' }),
      usage,
    }),
  ])
  .meta({ id: 'OperationResult' });
export type OperationResult = z.infer<typeof operationResultSchema>;
