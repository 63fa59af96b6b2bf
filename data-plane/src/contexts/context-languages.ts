import { isBuiltIn, type Language, languageSchema, Problem } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { findContext } from '../registry/contexts/find-context.ts';

export type ContextLanguages = ReturnType<typeof createContextLanguages>;

const rememberedMax = 100_000;

/** Remembers the languages of contexts that clients created. A language never changes, so each is read once. */
export function createContextLanguages({ db }: { db: Database }) {
  const remembered = new Map<string, Language>();
  return {
    /** @throws Problem 404 if the context does not exist in the session */
    async find({ sessionId, contextId }: { sessionId: string; contextId: string }): Promise<Language> {
      const key = `${sessionId}/${contextId}`;
      const known = remembered.get(key);
      if (known) return known;
      const context = await findContext(db, { sessionId, contextId });
      if (!context) throw new Problem('not-found', { detail: `context ${contextId} does not exist in this session` });
      if (remembered.size >= rememberedMax) remembered.clear();
      remembered.set(key, context.language);
      return context.language;
    },
  };
}

/** A language's default context has the language's name. */
export const isDefaultContext = (contextId: string): contextId is Language =>
  isBuiltIn(contextId) || languageSchema.safeParse(contextId).success;
