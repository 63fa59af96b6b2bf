import {
  acksSchema,
  attachSchema,
  operationAnswerSchema,
  operationCallSchema,
  policyRevisionHeader,
  watchedHeader,
} from '@holdfast/specs/agent';
import {
  faultWords,
  idempotencyKeySchema,
  invalidRequest,
  Problem,
  stdinSchema,
  stepIdSchema,
} from '@holdfast/specs/public';
import type { Hono } from 'hono';
import * as z from 'zod';
import type { ContextSet } from '../contexts/context-set.ts';
import type { JobSet } from '../jobs/job-set.ts';
import { interruptStep } from '../steps/interrupt-step.ts';
import type { OutputFiles } from '../steps/output-files.ts';
import type { SharedTimer } from '../steps/shared-timer.ts';
import type { StepMemory } from '../steps/step-memory.ts';
import { acceptStep } from './answer-plain-step.ts';
import type { Environment } from './listen.ts';
import { answeredItself } from './plain-response.ts';
import { readJson, readValue, stepBodyBytesMax } from './read-json.ts';
import { streamFrames } from './stream-frames.ts';
import { streamOutput } from './stream-output.ts';

const streamSchema = z.enum(['stdout', 'stderr']);

/** Runs and follows steps, gives them input, interrupts them and reads their output. */
export function stepOperations(
  app: Hono<Environment>,
  deps: {
    contexts: ContextSet;
    jobs: Pick<JobSet, 'interrupt'>;
    memory: StepMemory;
    files: Pick<OutputFiles, 'find'>;
    gathering: SharedTimer;
  },
): void {
  app.post('/v1/steps', async (c) => {
    const { incoming, outgoing } = c.env;
    const value = await readValue(incoming, stepBodyBytesMax);
    const isWatched = incoming.headers[watchedHeader] !== undefined;
    acceptStep(deps, { value, revision: c.req.header(policyRevisionHeader), isWatched, outgoing });
    return answeredItself;
  });

  app.get('/v1/steps', (c) => c.json({ steps: deps.memory.list() }));

  app.post('/v1/steps/:stepId/attach', async (c) => {
    const position = await readJson(c.env.incoming, attachSchema);
    const attached = deps.memory.attach(idOf(c.req.param('stepId')), position);
    streamFrames(c.env.outgoing, { ...attached, gathering: deps.gathering });
    return answeredItself;
  });

  app.post('/v1/steps/:stepId/interrupt', (c) => {
    return c.json({ state: interruptStep(deps, idOf(c.req.param('stepId'))) });
  });

  app.post('/v1/steps/:stepId/stdin', async (c) => {
    const stepId = idOf(c.req.param('stepId'));
    const { text } = await readJson(c.env.incoming, stdinSchema, stepBodyBytesMax);
    const input = deps.memory.input(stepId);
    if (!input) throw new Problem('stdin-closed', { detail: `${stepId} takes no input` });
    input.give(text, keyOf(c.req.header('Idempotency-Key')));
    return c.body(null, 204);
  });

  app.get('/v1/steps/:stepId/stdin', (c) => {
    return c.json({ request: deps.memory.input(idOf(c.req.param('stepId')))?.waiting ?? null });
  });

  app.post('/v1/steps/:stepId/operations/:call', async (c) => {
    const [stepId, call] = [idOf(c.req.param('stepId')), callOf(c.req.param('call'))];
    const answer = await readJson(c.env.incoming, operationAnswerSchema, stepBodyBytesMax);
    deps.memory.find(stepId)?.calls?.answer(call, answer);
    return c.body(null, 204);
  });

  app.get('/v1/steps/:stepId/output/:stream', async (c) => {
    const stream = streamSchema.safeParse(c.req.param('stream')).data;
    const file = stream && deps.files.find(idOf(c.req.param('stepId')), stream);
    const extent = await file?.extent();
    if (!file || !extent?.bytes)
      throw new Problem('not-found', { detail: 'the step already holds the complete output' });
    await streamOutput(c.env.outgoing, { file, extent });
    return answeredItself;
  });

  app.post('/v1/acks', async (c) => {
    const { stepIds } = await readJson(c.env.incoming, acksSchema);
    deps.memory.acknowledge(stepIds);
    return c.body(null, 204);
  });
}

function callOf(text: string): number {
  const parsed = z.coerce.number().pipe(operationCallSchema.shape.call).safeParse(text, { error: faultWords });
  if (!parsed.success) throw invalidRequest(parsed.error, 'path/call');
  return parsed.data;
}

function keyOf(text: string | undefined): string | undefined {
  const parsed = idempotencyKeySchema.optional().safeParse(text, { error: faultWords });
  if (!parsed.success) throw invalidRequest(parsed.error, 'header/idempotency-key');
  return parsed.data;
}

function idOf(text: string): string {
  const parsed = stepIdSchema.safeParse(text, { error: faultWords });
  if (!parsed.success) throw invalidRequest(parsed.error, 'path/stepId');
  return parsed.data;
}
