import * as z from 'zod';
import * as agent from '../../agent/processes.ts';
import { bytes, json, nothing } from '../parts/answers.ts';
import type { Operation } from '../parts/operation.ts';
import { tokenSchemes } from '../parts/security.ts';
import { agentProcessPath, processId, refusedToken } from './operation-parts.ts';

const state: agent.AgentProcessState = {
  processId,
  state: 'running',
  pid: 42,
  position: 8,
  kept: 0,
  stdoutBytes: 7,
  stderrBytes: 0,
  stdinBytes: 0,
  stdinEnded: false,
  done: null,
};

/** The lives of processes. `agent/process-frames.ts` describes their frames. */
export const agentProcessOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/processes',
    operationId: 'startProcess',
    tag: 'Processes',
    security: tokenSchemes,
    summary: 'Start a process',
    description: 'A process that does not start leaves its id free. A closed stream does not end the process.',
    body: {
      schema: agent.agentProcessSchema,
      example: { processId, command: ['npm', 'run', 'dev'], stdin: false, stderr: 'separate', collectChanges: false },
    },
    answers: { 200: bytes('The frames of the process as they happen, up to its end') },
    problems: [
      ...refusedToken,
      'policy-changed',
      'policy-denied',
      'session-ended',
      'session-paused',
      'step-repeated',
      'quota-exceeded',
      'command-not-started',
      'unsupported-by-runtime',
      'results-unacknowledged',
    ],
  },
  {
    method: 'get',
    path: '/v1/processes',
    operationId: 'listProcesses',
    tag: 'Processes',
    security: tokenSchemes,
    summary: 'List the processes that run or are not acknowledged',
    answers: { 200: json('The processes, oldest first', agent.agentProcessesSchema, { processes: [state] }) },
    problems: refusedToken,
  },
  {
    method: 'delete',
    path: '/v1/processes',
    operationId: 'endProcesses',
    tag: 'Processes',
    security: tokenSchemes,
    summary: 'Kill all processes and all that they left behind',
    query: z.object({
      cause: agent.endProcessesQuerySchema.shape.cause.meta({
        description: 'The cause with which they end',
        example: 'session_paused',
      }),
    }),
    answers: { 204: nothing('They have ended') },
    problems: [...refusedToken, 'invalid-request'],
  },
  {
    method: 'post',
    path: '/v1/processes/acks',
    operationId: 'acknowledgeProcesses',
    tag: 'Processes',
    security: tokenSchemes,
    summary: 'Acknowledge processes whose ends are recorded',
    body: { schema: agent.processAcksSchema, example: { processIds: [processId] } },
    answers: { 204: nothing('The agent may drop their output when it needs the memory') },
    problems: refusedToken,
  },
  {
    method: 'get',
    path: '/v1/processes/{processId}',
    operationId: 'readProcess',
    tag: 'Processes',
    security: tokenSchemes,
    summary: 'Read the state of a process',
    params: agentProcessPath,
    answers: { 200: json('The state', agent.agentProcessStateSchema, state) },
    problems: [...refusedToken, 'not-found'],
  },
  {
    method: 'post',
    path: '/v1/processes/{processId}/attach',
    operationId: 'attachProcess',
    tag: 'Processes',
    security: tokenSchemes,
    summary: 'Replay and follow the frames of a process',
    description: 'With `burn`, an unknown id counts as used from then on, so a late request to start it is rejected.',
    params: agentProcessPath,
    body: { schema: agent.attachProcessSchema, example: { after: 0 } },
    answers: { 200: bytes('The frames behind the position, then the following ones') },
    problems: [...refusedToken, 'not-found', 'step-repeated'],
  },
];
