import { acksSchema, agentStepSchema, attachSchema, invalidRequest, Problem, stepIdSchema } from '@holdfast/specs';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Hono } from 'hono';
import type { ContextSet } from '../contexts/context-set.ts';
import { submitStep } from '../contexts/submit-step.ts';
import type { StepMemory } from '../steps/step-memory.ts';
import type { Environment } from './environment.ts';
import { readJson, stepBodyBytesMax } from './read-json.ts';
import { streamFrames } from './stream-frames.ts';

/** Running steps, following them, and what is kept of them. */
export function stepRoutes(app: Hono<Environment>, deps: { contexts: ContextSet; memory: StepMemory }): void {
  app.post('/v1/steps', async (c) => {
    const step = await readJson(c.env.incoming, agentStepSchema, stepBodyBytesMax);
    const log = submitStep(deps, step);
    streamFrames(c.env.outgoing, { log, cursor: log.cursorAfter(0) });
    return RESPONSE_ALREADY_SENT;
  });

  app.get('/v1/steps', (c) => c.json({ steps: deps.memory.list() }));

  app.post('/v1/steps/:stepId/attach', async (c) => {
    const place = await readJson(c.env.incoming, attachSchema);
    streamFrames(c.env.outgoing, deps.memory.attach(idOf(c.req.param('stepId')), place));
    return RESPONSE_ALREADY_SENT;
  });

  app.post('/v1/steps/:stepId/interrupt', (c) => {
    const stepId = idOf(c.req.param('stepId'));
    if (!deps.memory.knows(stepId)) throw new Problem('not-found', { detail: `${stepId} was never started` });
    const kept = deps.memory.find(stepId);
    const state = kept?.log.state ?? 'finished';
    if (kept && state !== 'finished') deps.contexts.get(kept.contextId).interrupt(stepId);
    return c.json({ state });
  });

  app.post('/v1/acks', async (c) => {
    const { stepIds } = await readJson(c.env.incoming, acksSchema);
    deps.memory.acknowledge(stepIds);
    return c.body(null, 204);
  });
}

function idOf(text: string): string {
  const parsed = stepIdSchema.safeParse(text);
  if (!parsed.success) throw invalidRequest(parsed.error, 'path/stepId');
  return parsed.data;
}
