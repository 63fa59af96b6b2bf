import type { Artifact } from '../generated/api.ts';
import { answerOf, type CallOptions, type Connection } from '../http/create-api.ts';
import { paged } from '../http/paged.ts';

/** The files that steps created, changed or deleted. They stay readable until the session is deleted. */
export type Artifacts = ReturnType<typeof createArtifacts>;

export function createArtifacts({ api, url: server }: Connection, sessionId: string) {
  return {
    /** Their URLs are whole addresses. `signedSeconds`: they work without a key for so long. */
    async *list({
      signal,
      ...filters
    }: CallOptions & { stepId?: string; signedSeconds?: number } = {}): AsyncGenerator<Artifact, void, undefined> {
      const found = paged((cursor) =>
        answerOf(
          api.GET('/v1/sessions/{sessionId}/artifacts', {
            params: { path: { sessionId }, query: { ...filters, ...cursor } },
            ...(signal && { signal }),
          }),
        ),
      );
      // The server does not know by which address its clients reach it.
      for await (const { url, ...artifact } of found) yield { ...artifact, url: url === null ? null : server + url };
    },

    /** The content as the step left it. */
    async read(artifactId: string, { signal }: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
      const { data } = await api.GET('/v1/sessions/{sessionId}/artifacts/{artifactId}/content', {
        params: { path: { sessionId, artifactId } },
        parseAs: 'arrayBuffer',
        ...(signal && { signal }),
      });
      return new Uint8Array((data as ArrayBuffer | undefined) ?? new ArrayBuffer(0));
    },
  };
}
