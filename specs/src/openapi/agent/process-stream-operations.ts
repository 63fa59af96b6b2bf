import * as z from 'zod';
import * as agent from '../../agent/processes.ts';
import { terminalSizeSchema } from '../../public/process.ts';
import { bytes, json, nothing } from '../parts/answers.ts';
import type { Operation } from '../parts/operation.ts';
import { tokenSchemes } from '../parts/security.ts';
import { agentProcessOutputPath, agentProcessPath, refusedToken } from './operation-parts.ts';

/** The streams of a process: its input, its output, signals and its terminal. */
export const agentProcessStreamOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/processes/{processId}/output/{stream}',
    operationId: 'readProcessOutput',
    tag: 'Processes',
    security: tokenSchemes,
    summary: 'Read the output of a process on one stream, as far as it is there',
    params: agentProcessOutputPath,
    query: agent.processOutputQuerySchema,
    answers: {
      200: {
        ...bytes('The bytes from the offset on, or from the next one that is there, without a gap'),
        headers: z.object({
          'Holdfast-Offset': z.int().min(0).meta({ description: 'The offset of the first byte in the answer' }),
        }),
      },
    },
    problems: [...refusedToken, 'not-found'],
  },
  {
    method: 'post',
    path: '/v1/processes/{processId}/stdin',
    operationId: 'sendProcessInput',
    tag: 'Processes',
    security: tokenSchemes,
    summary: 'Give input to a process',
    description:
      'Answers when the process has room for the bytes, or after ten seconds. With `offset`, bytes that were accepted before are skipped.',
    params: agentProcessPath,
    query: agent.processStdinQuerySchema,
    upload: ['application/octet-stream'],
    answers: {
      200: json('All input that was accepted so far', agent.processStdinSchema, { bytes: 12, ended: false }),
    },
    problems: [...refusedToken, 'not-found', 'policy-denied', 'stdin-closed', 'body-too-large', 'quota-exceeded'],
  },
  {
    method: 'post',
    path: '/v1/processes/{processId}/signal',
    operationId: 'signalProcess',
    tag: 'Processes',
    security: tokenSchemes,
    summary: 'Send a signal to a process',
    description: 'SIGKILL goes to all processes below it, any other signal to its group.',
    params: agentProcessPath,
    body: { schema: agent.agentSignalSchema, example: { signal: 'SIGTERM' } },
    answers: { 204: nothing('The signal was sent') },
    problems: [...refusedToken, 'not-found', 'process-ended'],
  },
  {
    method: 'put',
    path: '/v1/processes/{processId}/terminal',
    operationId: 'resizeTerminal',
    tag: 'Processes',
    security: tokenSchemes,
    summary: "Set the size of a process's terminal",
    params: agentProcessPath,
    body: { schema: terminalSizeSchema, example: { columns: 120, rows: 40 } },
    answers: { 204: nothing('The terminal has this size') },
    problems: [...refusedToken, 'not-found', 'process-ended', 'no-terminal'],
  },
];
