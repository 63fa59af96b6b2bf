import * as z from 'zod';
import { actorNameSchema, actorSchema } from './step.ts';
import { apiKeyIdSchema } from './values/ids.ts';
import { text } from './values/storable.ts';

/**
 * `run` is for sessions, steps and files, `host` for what the host application decides, both within the key's tenant. `admin` is for the whole
 * deployment, across tenants.
 */
export const scopeSchema = z.enum(['run', 'host', 'admin']);
export type Scope = z.infer<typeof scopeSchema>;

/** The scope in a token of an issuer, which has scopes of other services too. */
export const tokenScope = (scope: Scope): string => `holdfast:${scope}`;

/** The operator's name for an owner of sessions. */
export const tenantSchema = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must be 1 to 63 of a-z 0-9 . _ -');

export const createApiKeySchema = z
  .strictObject({
    tenant: tenantSchema,
    scopes: z.array(scopeSchema).min(1).max(3),
    name: text(128).default(''),
    actor: actorSchema
      .optional()
      .meta({ description: 'The actor of every step that is asked for with the key, whatever the request says' }),
    actorName: actorNameSchema.optional().meta({ description: 'The name of that actor among people' }),
  })
  .meta({ id: 'CreateApiKey' });
export type CreateApiKey = z.infer<typeof createApiKeySchema>;

export const apiKeySchema = z
  .object({
    id: apiKeyIdSchema,
    tenant: tenantSchema,
    scopes: z.array(scopeSchema),
    name: z.string(),
    actor: actorSchema.nullable(),
    actorName: actorNameSchema.nullable(),
    createdAt: z.iso.datetime(),
    revokedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof apiKeySchema>;

export const createdApiKeySchema = apiKeySchema
  .extend({ key: z.string().meta({ description: 'The key itself; it is shown only once' }) })
  .meta({ id: 'CreatedApiKey' });
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;
