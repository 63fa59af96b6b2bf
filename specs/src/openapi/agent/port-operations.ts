import * as z from 'zod';
import { agentPortPathSchema, agentPortQuerySchema, tunnelProtocol } from '../../agent/ports.ts';
import { nothing } from '../parts/answers.ts';
import type { Operation } from '../parts/operation.ts';
import { tokenSchemes } from '../parts/security.ts';
import { refusedToken } from './operation-parts.ts';

/** The servers that programs in the sandbox run. */
export const agentPortOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/ports/{port}',
    operationId: 'reachPort',
    tag: 'Ports',
    security: tokenSchemes,
    summary: 'Connect to a port of the sandbox',
    description:
      'With `Connection: Upgrade` and the `Upgrade` of this protocol, the connection becomes one to a server that listens on the loopback of the sandbox. Without them, the answer says whether a server listens.',
    params: z.object({
      port: agentPortPathSchema.shape.port.meta({ type: 'integer', description: 'The port', example: 8000 }),
    }),
    query: z.object({
      waitSeconds: agentPortQuerySchema.shape.waitSeconds.meta({
        type: 'number',
        minimum: 0,
        maximum: 60,
        description: 'How long to wait until a server listens',
        example: 10,
      }),
    }),
    headers: z.object({
      Upgrade: z.literal(tunnelProtocol).optional().meta({ description: 'Asks for a connection' }),
    }),
    answers: {
      101: nothing('From here on, bytes pass both ways as they are, and each way can end by itself'),
      204: nothing('A server listens'),
    },
    problems: [...refusedToken, 'port-closed', 'quota-exceeded', 'session-ended', 'session-paused'],
  },
];
