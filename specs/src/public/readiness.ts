import * as z from 'zod';

/** `GET /readyz`: `checks` maps the name of each check to `ok` or to a description of the fault. */
export const readinessSchema = z
  .object({
    ready: z.boolean(),
    checks: z.record(z.string(), z.string()),
    agentAuthBypassed: z.boolean().meta({ description: 'Whether session-agents accept requests without a token' }),
  })
  .meta({ id: 'Readiness' });

export type Readiness = z.infer<typeof readinessSchema>;
