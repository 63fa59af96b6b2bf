import * as z from 'zod';
import { environmentSchema } from '../public/values/environment.ts';
import { sessionIdSchema } from '../public/values/ids.ts';
import { languageSchema } from '../public/values/languages.ts';
import { int4 } from '../public/values/storable.ts';

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/);

/** `POST /v1/proof`: the agent signs `proofText(uid, nonce)` with Ed25519 (RFC 8032). The public key is its 32 raw bytes. */
export const proofRequestSchema = z.strictObject({ nonce: base64url.length(43) });
export const proofSchema = z.object({
  uid: z.string().max(128),
  publicKey: base64url.length(43),
  signature: base64url.length(86),
});
export type Proof = z.infer<typeof proofSchema>;

/** The text that an agent signs to prove that it holds the private key for its public key. `nonce` is in base64url. */
export const proofText = (uid: string, nonce: string) => `holdfast-agent-proof-v1\n${uid}\n${nonce}`;

/** Says under which revision of the session's policy a request was made; 0 without it. */
export const policyRevisionHeader = 'holdfast-policy-revision';

/**
 * `PUT /v1/policy`: the part of the session's policy that the agent enforces. A lower revision than the one it has changes nothing. From
 * the answer on, requests that start code under another revision are refused with 409 `policy-changed`, and code that may not start
 * programs cannot, but for a step or job that runs already.
 */
export const agentPolicySchema = z.strictObject({
  revision: int4(0),
  allowShellCommands: z.boolean(),
});
export type AgentPolicy = z.infer<typeof agentPolicySchema>;

/** `PUT /v1/session`: configures the sandbox for its session. Repeating the request has no effect. */
export const bindSchema = z.strictObject({
  language: languageSchema,
  env: environmentSchema,
  firstContextEpoch: int4(1).default(1).meta({
    description:
      'The contextEpoch of the first kernel of every context: higher than any that an earlier sandbox of the session had',
  }),
  prestart: z
    .boolean()
    .default(true)
    .meta({ description: 'Whether to start the kernel of the default context at once' }),
  keepsState: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether a context gets its state back when its kernel is lost and the sandbox is not' }),
  policy: agentPolicySchema.optional(),
});
export type Bind = z.infer<typeof bindSchema>;

/** `GET /v1/session`: the identity of the sandbox and its session. */
export const agentStatusSchema = z.object({
  uid: z.string().max(128),
  sessionId: sessionIdSchema.nullable(),
  epoch: z.number().int().nullable(),
  fenced: z.boolean(),
});

/**
 * `POST /v1/hold`: no step and no job starts and no context gets another state for this long, or until `DELETE /v1/hold`; that is refused
 * with 409 `session-paused`. Answers 204, or 409 `context-busy` while one runs or waits. Repeating it begins the time anew.
 */
export const holdSchema = z.strictObject({ seconds: z.number().int().min(1).max(3600) });

/** `?by=` names a hold. A release that names another hold than the latest one has no effect: its client slept. */
export const holdQuerySchema = z.object({ by: z.string().max(64).optional() });

/** With `?saving=true` the state is saved after the fence, so that an agent that is told to stop waits for this. */
export const fenceQuerySchema = z.object({ saving: z.enum(['true', 'false']).optional() });

/** `POST /v1/fence`: no further step starts; queued and running steps are interrupted. Answers 204 as soon as all of them have ended. */
