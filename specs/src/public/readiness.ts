import * as z from 'zod';

/** `GET /readyz`: `checks` says `ok` or what is wrong, by the name of what was checked. */
export const readinessSchema = z
  .object({
    ready: z.boolean(),
    checks: z.record(z.string(), z.string()),
    agentAuthBypassed: z.boolean().meta({ description: 'Session-agents are called without proof of who calls' }),
  })
  .meta({ id: 'Readiness' });

export type Readiness = z.infer<typeof readinessSchema>;
