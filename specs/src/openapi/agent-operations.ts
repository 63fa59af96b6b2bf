import { z } from 'zod';
import * as agent from '../agent.ts';
import { contextIdSchema, stepIdSchema } from '../ids.ts';
import type { ProblemSlug } from '../problems.ts';
import { json, nothing } from './answers.ts';
import * as examples from './examples.ts';
import type { Operation } from './operation.ts';
import { tokenSchemes } from './security.ts';

const security = tokenSchemes;
const stepPath = z.object({ stepId: stepIdSchema.meta({ description: 'The step', example: examples.stepId }) });
const contextPath = z.object({
  contextId: contextIdSchema.meta({ description: 'The context', example: examples.contextId }),
});
const uid = 'uid_01kaf41k8m9n0p1r2s3t4v5w6x';
const context = { contextId: 'python', language: 'python', contextEpoch: 1, state: 'idle', cwd: '/workspace' };
/** A token that is meant for another sandbox or another life of this one. */
const refused: readonly ProblemSlug[] = ['wrong-sandbox', 'session-ended'];
const frames = (description: string) => ({
  description,
  content: { 'application/octet-stream': { schema: { type: 'string' as const, format: 'binary' } } },
});

/** The session-agent's routes. The frames of a step are described with `encodeFrame`, in the specs. */
export const agentOperations: Operation[] = [
  {
    method: 'get',
    path: '/healthz',
    operationId: 'getHealth',
    tag: 'Agent',
    security: [],
    summary: 'Whether the agent answers',
    answers: { 200: json('It does', z.object({ status: z.literal('ok') }), { status: 'ok' }) },
  },
  {
    method: 'post',
    path: '/v1/proof',
    operationId: 'prove',
    tag: 'Agent',
    security: [],
    summary: 'Prove that this is the sandbox with this uid',
    description: 'Comes first on every new connection, before a token or a body goes out.',
    body: { schema: agent.proofRequestSchema, example: { nonce: 'n'.repeat(43) } },
    answers: {
      200: json('The signature of uid and nonce', agent.proofSchema, {
        uid,
        publicKey: 'p'.repeat(43),
        signature: 's'.repeat(86),
      }),
    },
  },
  {
    method: 'put',
    path: '/v1/session',
    operationId: 'bindSession',
    tag: 'Session',
    security,
    summary: 'Tell the sandbox what its session is like',
    description: 'The same again is no error. Starts the kernel of the default context.',
    body: { schema: agent.bindSchema, example: { language: 'python', env: {} } },
    answers: { 204: nothing('Bound') },
    problems: refused,
  },
  {
    method: 'get',
    path: '/v1/session',
    operationId: 'getAgentStatus',
    tag: 'Session',
    security,
    summary: 'What the sandbox is',
    answers: {
      200: json('Status', agent.agentStatusSchema, { uid, sessionId: examples.sessionId, epoch: 1, fenced: false }),
    },
    problems: refused,
  },
  {
    method: 'post',
    path: '/v1/fence',
    operationId: 'fence',
    tag: 'Session',
    security,
    summary: 'Let no step start any more',
    description: 'Interrupts queued and running steps and answers when none is left.',
    answers: { 204: nothing('No step runs') },
    problems: refused,
  },
  {
    method: 'post',
    path: '/v1/steps',
    operationId: 'runStep',
    tag: 'Steps',
    security,
    summary: 'Run a step',
    body: {
      schema: agent.agentStepSchema,
      example: { stepId: examples.stepId, contextId: 'python', code: 'x + 1', timeoutMs: 60_000, queue: 'wait' },
    },
    answers: { 200: frames('The frames of the step as they come, to its end') },
    problems: [
      ...refused,
      'not-found',
      'step-repeated',
      'session-busy',
      'state-reset',
      'context-deleted',
      'quota-exceeded',
      'results-unacknowledged',
    ],
  },
  {
    method: 'get',
    path: '/v1/steps',
    operationId: 'listSteps',
    tag: 'Steps',
    security,
    summary: 'List the steps that are not acknowledged',
    answers: {
      200: json('Steps', agent.agentStepsSchema, { steps: [{ stepId: examples.stepId, state: 'running' }] }),
    },
    problems: refused,
  },
  {
    method: 'post',
    path: '/v1/steps/{stepId}/attach',
    operationId: 'attachStep',
    tag: 'Steps',
    security,
    summary: 'Get the frames of a step again and follow it',
    description: 'Where the id was never seen it is burnt: a late request to run it is refused.',
    params: stepPath,
    body: { schema: agent.attachSchema, example: { after: 0 } },
    answers: { 200: frames('The frames with a higher seq, then what follows') },
    problems: [...refused, 'not-found'],
  },
  {
    method: 'post',
    path: '/v1/steps/{stepId}/interrupt',
    operationId: 'interruptStep',
    tag: 'Steps',
    security,
    summary: 'Interrupt a step',
    params: stepPath,
    answers: { 200: json('What the step was then', agent.interruptedSchema, { state: 'running' }) },
    problems: [...refused, 'not-found'],
  },
  {
    method: 'post',
    path: '/v1/acks',
    operationId: 'acknowledgeSteps',
    tag: 'Steps',
    security,
    summary: 'Say which ends are recorded',
    body: { schema: agent.acksSchema, example: { stepIds: [examples.stepId] } },
    answers: { 204: nothing('Their results are forgotten') },
    problems: refused,
  },
  {
    method: 'post',
    path: '/v1/contexts',
    operationId: 'createContext',
    tag: 'Contexts',
    security,
    summary: 'Create a context',
    body: {
      schema: agent.agentCreateContextSchema,
      example: { contextId: examples.contextId, language: 'node', env: {} },
    },
    answers: {
      201: json('The context', agent.agentContextSchema, {
        ...context,
        contextId: examples.contextId,
        language: 'node',
      }),
    },
    problems: [...refused, 'context-deleted', 'quota-exceeded', 'sandbox-failed'],
  },
  {
    method: 'get',
    path: '/v1/contexts',
    operationId: 'listContexts',
    tag: 'Contexts',
    security,
    summary: 'List the contexts',
    answers: { 200: json('Contexts', agent.agentContextsSchema, { contexts: [context] }) },
    problems: refused,
  },
  {
    method: 'delete',
    path: '/v1/contexts/{contextId}',
    operationId: 'deleteContext',
    tag: 'Contexts',
    security,
    summary: 'Delete a context',
    params: contextPath,
    answers: { 204: nothing('Deleted') },
    problems: [...refused, 'not-found', 'context-deleted'],
  },
  {
    method: 'post',
    path: '/v1/contexts/{contextId}/restart',
    operationId: 'restartContext',
    tag: 'Contexts',
    security,
    summary: 'Restart a context',
    params: contextPath,
    answers: { 200: json('The context as it is now', agent.agentContextSchema, { ...context, contextEpoch: 2 }) },
    problems: [...refused, 'not-found', 'context-deleted'],
  },
  {
    method: 'get',
    path: '/v1/contexts/{contextId}/symbols',
    operationId: 'listSymbols',
    tag: 'Contexts',
    security,
    summary: 'List the names that steps have defined',
    params: contextPath,
    answers: { 200: json('Names', agent.agentSymbolsSchema, { contextEpoch: 1, stale: false, symbols: [] }) },
    problems: [...refused, 'not-found', 'context-deleted'],
  },
];
