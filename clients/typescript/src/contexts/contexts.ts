import type { BackgroundPage, Completions, Context, CreateContext, Inspection, ParsedCode } from '../generated/api.ts';
import { answerOf, type CallOptions, type Connection } from '../http/create-api.ts';

/** The interpreters of a session. Each language has a default one, whose id is the name of the language. */
export type Contexts = ReturnType<typeof createContexts>;

export function createContexts({ api }: Connection, sessionId: string) {
  const ofSession = { path: { sessionId } };
  const ofContext = (contextId: string) => ({ path: { sessionId, contextId } });
  return {
    /** Starts one more interpreter, whose names are its own. Run code in it with `session.run(code, { contextId })`. */
    async create({ signal, ...body }: CreateContext & CallOptions): Promise<Context> {
      return await answerOf(
        api.POST('/v1/sessions/{sessionId}/contexts', { params: ofSession, body, ...(signal && { signal }) }),
      );
    },

    /** All contexts of the session. */
    async list({ signal }: CallOptions = {}): Promise<Context[]> {
      const call = api.GET('/v1/sessions/{sessionId}/contexts', { params: ofSession, ...(signal && { signal }) });
      return (await answerOf(call)).items;
    },

    /** Ends a context with everything that runs in it. The history of its steps stays. */
    async delete(contextId: string, { signal }: CallOptions = {}): Promise<void> {
      const params = ofContext(contextId);
      await api.DELETE('/v1/sessions/{sessionId}/contexts/{contextId}', { params, ...(signal && { signal }) });
    },

    /** Gives the context a new interpreter, without its names. */
    async restart(contextId: string, { signal }: CallOptions = {}): Promise<Context> {
      const params = ofContext(contextId);
      return await answerOf(
        api.POST('/v1/sessions/{sessionId}/contexts/{contextId}/restart', { params, ...(signal && { signal }) }),
      );
    },

    /** Completions at the cursor, which counts UTF-16 code units, as strings do. */
    async complete(
      contextId: string,
      code: string,
      cursor: number,
      { signal }: CallOptions = {},
    ): Promise<Completions> {
      const request = { params: ofContext(contextId), body: { code, cursor }, ...(signal && { signal }) };
      return await answerOf(api.POST('/v1/sessions/{sessionId}/contexts/{contextId}/complete', request));
    },

    /** The meaning of the name at the cursor. */
    async inspect(contextId: string, code: string, cursor: number, { signal }: CallOptions = {}): Promise<Inspection> {
      const request = { params: ofContext(contextId), body: { code, cursor }, ...(signal && { signal }) };
      return await answerOf(api.POST('/v1/sessions/{sessionId}/contexts/{contextId}/inspect', request));
    },

    /** Whether the code is complete, or a prompt should ask for more lines. */
    async parse(contextId: string, code: string, { signal }: CallOptions = {}): Promise<ParsedCode> {
      const request = { params: ofContext(contextId), body: { code }, ...(signal && { signal }) };
      return await answerOf(api.POST('/v1/sessions/{sessionId}/contexts/{contextId}/parse', request));
    },

    /** Output that came after the end of a step, of threads and children that it left behind, above `after`. */
    async background(
      contextId: string,
      { after, signal }: CallOptions & { after?: number } = {},
    ): Promise<BackgroundPage> {
      const params = { ...ofContext(contextId), query: after === undefined ? {} : { after } };
      return await answerOf(
        api.GET('/v1/sessions/{sessionId}/contexts/{contextId}/background', { params, ...(signal && { signal }) }),
      );
    },
  };
}
