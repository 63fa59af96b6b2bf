import * as z from 'zod';
import { sessionIdSchema } from './ids.ts';
import { int4Max } from './storable.ts';

/** Decimals with at most twelve digits before the point and twelve after it, so that sums are exact. */
const decimal = z
  .string()
  .regex(/^(0|[1-9]\d{0,11})(\.\d{1,12})?$/, 'must be a decimal such as "1.25", with at most twelve places');
const amountMax = 999_999_999_999;

const costSchema = z.union([decimal, z.number().min(0).max(amountMax)]).meta({
  description:
    'In a unit of your choice, as a decimal in a string, or as a number, which is rounded to twelve decimal places',
});

/** Ten years. */
const secondsMax = 315_360_000;

const tokens = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** A limit that is null does not hold; one that is left out stays as it is. */
export const budgetLimitsSchema = z
  .strictObject({
    iterations: z.number().int().min(0).max(int4Max).nullable().optional().meta({
      description: 'Steps and jobs that may run. A message to a comm does not count',
    }),
    timeSeconds: z.number().min(0).max(secondsMax).nullable().optional().meta({
      description: 'The execution time of all steps and jobs together',
    }),
    tokens: tokens.nullable().optional(),
    cost: costSchema.nullable().optional(),
  })
  .meta({ id: 'BudgetLimits' });
export type BudgetLimits = z.infer<typeof budgetLimitsSchema>;

export const cost = z.string().meta({ description: 'A decimal, which is exact' });

/** The rest that may be spent. */
export const budgetRemainingSchema = z
  .object({
    iterations: z.number().int().nullable(),
    timeSeconds: z.number().nullable(),
    tokens: z.number().int().nullable(),
    cost: cost.nullable(),
  })
  .meta({ id: 'BudgetRemaining', description: 'By kind of limit; null: there is no such limit' });
export type BudgetRemaining = z.infer<typeof budgetRemainingSchema>;

export const budgetSchema = z
  .object({
    budgetOf: sessionIdSchema.meta({
      description: 'The session that the budget was made for. Forks and other sessions may share it',
    }),
    limits: z.object(budgetRemainingSchema.shape),
    used: z.object({ iterations: z.number().int(), timeSeconds: z.number(), tokens: z.number().int(), cost }).meta({
      description: 'An iteration counts as soon as its step is admitted, its time when it has ended',
    }),
    remaining: budgetRemainingSchema,
  })
  .meta({ id: 'Budget' });
export type Budget = z.infer<typeof budgetSchema>;

/** `POST /v1/sessions/{sessionId}/usage` */
export const usageSchema = z
  .strictObject({ tokens: tokens.optional(), cost: costSchema.optional() })
  .refine((usage) => Object.keys(usage).length > 0, 'must have tokens or cost')
  .meta({ id: 'Usage' });
export type Usage = z.infer<typeof usageSchema>;

export const reportedUsageSchema = z
  .object({ budgetRemaining: budgetRemainingSchema.nullable().meta({ description: 'null without a budget' }) })
  .meta({ id: 'ReportedUsage' });
export type ReportedUsage = z.infer<typeof reportedUsageSchema>;

/** A cost as a decimal. Pure. */
export const decimalOf = (value: string | number): string => (typeof value === 'number' ? value.toFixed(12) : value);
