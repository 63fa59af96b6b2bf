import * as z from 'zod';
import { portIdSchema, sessionIdSchema } from './values/ids.ts';
import { waitSecondsInBody, waitSecondsSchema } from './values/waiting.ts';

/** `key` admits requests with an API key of the tenant, `link` those with the token, and `public` all. */
export const portAccesses = ['key', 'link', 'public'] as const;
export type PortAccess = (typeof portAccesses)[number];

export const portNumberSchema = z.number().int().min(1).max(65_535);

/** `POST /v1/sessions/{sessionId}/ports` */
export const openPortSchema = z
  .strictObject({
    port: portNumberSchema.meta({ description: 'The port on which a server in the sandbox listens' }),
    access: z.enum(portAccesses).default('key').meta({
      description:
        '`key` admits requests with an API key of the tenant, `link` those with the token, and `public` all. `link` and `public` need the scope `host`',
    }),
    expiresSeconds: z.number().int().min(1).max(604_800).default(3600).meta({ description: 'How long it stays open' }),
    waitSeconds: waitSecondsInBody.meta({
      description:
        'Opens the port only once a server listens, and waits at most this long for it; otherwise 502 `port-closed`',
    }),
  })
  .meta({ id: 'OpenPort' });
export type OpenPort = z.infer<typeof openPortSchema>;

const bytes = z.number().int().min(0);

export const portSchema = z
  .object({
    id: portIdSchema,
    sessionId: sessionIdSchema,
    port: portNumberSchema,
    access: z.enum(portAccesses),
    url: z.string().meta({ description: 'The address of the server. A port of a session always has the same' }),
    receivedBytes: bytes.meta({ description: 'Bytes of visitors, some seconds behind' }),
    sentBytes: bytes.meta({ description: 'Bytes to visitors, some seconds behind' }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    revokedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Port' });
export type Port = z.infer<typeof portSchema>;

export const openedPortSchema = portSchema
  .extend({
    url: z.string().meta({ description: 'The address of the server; of a link, with its token' }),
    token: z.string().nullable().meta({ description: 'The token of a link; it is shown only once' }),
  })
  .meta({ id: 'OpenedPort' });
export type OpenedPort = z.infer<typeof openedPortSchema>;

/** The query parameter with the token of a link. It leaves the address at once. */
export const portTokenParameter = 'holdfast_token';

/** A visitor's request with this header waits so many seconds until a server listens. */
export const portWaitHeader = 'holdfast-wait-seconds';

export const portWaitSchema = waitSecondsSchema.unwrap();
