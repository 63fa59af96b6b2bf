import * as z from 'zod';

/** Whether the answer comes at the end or at once. */
export const waitSchema = z.boolean().optional().meta({
  description:
    '`false`: the answer is 202 with `Location` and the step or job as it is, as soon as it is recorded. A repeat with the same Idempotency-Key gets the same answer while it runs',
});

/** The time that a read waits until the end, or until something new is needed. A request with a body has it there, and any other in its query. */
export const waitSecondsSchema = z.coerce.number().min(0).max(60).optional();

export const waitSecondsInBody = z.number().min(0).max(60).optional();
