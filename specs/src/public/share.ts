import * as z from 'zod';
import { actorNameSchema } from './step.ts';
import { sessionIdSchema, shareIdSchema } from './values/ids.ts';

/** `watch` lets a person see a session, `run` also lets the person take part in it. */
export const shareAccesses = ['watch', 'run'] as const;
export type ShareAccess = (typeof shareAccesses)[number];

/** `POST /v1/sessions/{sessionId}/shares` */
export const createShareSchema = z
  .strictObject({
    access: z.enum(shareAccesses).meta({
      description:
        '`watch` reads the session, its steps and processes, their events, its context, its files and its proposals with their diffs. `run` also sends steps and starts processes as the actor `user`, with their input, and interrupts them',
    }),
    expiresSeconds: z.number().int().min(1).max(604_800).meta({ description: 'How long the link works' }),
    name: actorNameSchema.optional().meta({ description: 'The name of the person that the link is for' }),
  })
  .meta({ id: 'CreateShare' });
export type CreateShare = z.infer<typeof createShareSchema>;

export const shareSchema = z
  .object({
    id: shareIdSchema,
    sessionId: sessionIdSchema,
    access: z.enum(shareAccesses),
    name: actorNameSchema.nullable(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    revokedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Share' });
export type Share = z.infer<typeof shareSchema>;

export const createdShareSchema = shareSchema
  .extend({
    token: z.string().meta({
      description: 'Takes the place of an API key, for this session alone; it is shown only once',
    }),
    url: z.string().meta({
      description: 'The live stream of the session, relative to the server, with the token for an EventSource',
    }),
  })
  .meta({ id: 'CreatedShare' });
export type CreatedShare = z.infer<typeof createdShareSchema>;

/** The token of a share link: `hfs_`, the id of the link, and a signature. */
export const shareTokenSchema = z
  .string()
  .regex(/^hfs_[0-9a-hjkmnp-tv-z]{26}_[A-Za-z0-9_-]{43}$/, 'must be the token of a share link');
