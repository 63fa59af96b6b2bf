import * as z from 'zod';
import { portNumberSchema, portWaitSchema } from '../public/port.ts';

/** The value of `Upgrade` that turns `GET /v1/ports/{port}` into a connection to the port: after the 101, bytes pass both ways unchanged. */
export const tunnelProtocol = 'holdfast-tunnel';

export const agentPortPathSchema = z.object({ port: z.coerce.number().pipe(portNumberSchema) });

/** Without `waitSeconds`, a port at which nothing listens is answered at once. */
export const agentPortQuerySchema = z.object({ waitSeconds: portWaitSchema.optional() });

export const agentPortPath = (port: number, waitSeconds: number) =>
  `/v1/ports/${port}${waitSeconds > 0 ? `?waitSeconds=${waitSeconds}` : ''}`;
