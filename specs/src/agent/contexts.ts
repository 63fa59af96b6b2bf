import * as z from 'zod';
import { createContextSchema } from '../public/context.ts';
import { symbolSchema } from '../public/session-context.ts';
import { contextIdSchema } from '../public/values/ids.ts';
import { languageSchema } from '../public/values/languages.ts';

/** `POST /v1/contexts` */
export const agentCreateContextSchema = createContextSchema.extend({ contextId: contextIdSchema });

export const agentContextSchema = z.object({
  contextId: contextIdSchema,
  language: languageSchema,
  contextEpoch: z.number().int().min(1),
  state: z.enum(['starting', 'idle', 'busy', 'dead']),
  cwd: z.string().max(8192),
});
export type AgentContext = z.infer<typeof agentContextSchema>;

/** `GET /v1/languages`: the languages that contexts of this sandbox can have now. Code in it can install further ones. */
export const agentLanguagesSchema = z.object({ languages: z.array(languageSchema).max(1000) });

/** `GET /v1/contexts` */
export const agentContextsSchema = z.object({ contexts: z.array(agentContextSchema).max(64) });

/**
 * `POST /v1/contexts/{contextId}/complete` and `…/inspect` take `codeAtCursorSchema` and answer `completionsSchema` and
 * `inspectionSchema`, `POST …/parse` takes `parseCodeSchema` and answers `parsedCodeSchema`, or 409 `context-busy` while the context runs a step. `GET /v1/contexts/{contextId}/background?after=SEQ`
 * answers `backgroundPageSchema`.
 */

/** `GET /v1/contexts/{contextId}/symbols`: `stale` if the context was too busy to answer. */
export const agentSymbolsSchema = z.object({
  contextEpoch: z.number().int().min(1),
  stale: z.boolean(),
  symbols: z.array(symbolSchema).max(100_000),
});
