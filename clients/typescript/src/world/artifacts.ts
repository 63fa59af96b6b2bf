import type { Artifact } from '../generated/api.ts';
import { answerOf, type CallOptions, type Connection } from '../http/create-api.ts';
import { paged } from '../http/paged.ts';

/** The files that steps created, changed or deleted. They stay readable until the session is deleted. */
export type Artifacts = ReturnType<typeof createArtifacts>;

export function createArtifacts({ api }: Connection, sessionId: string) {
  return {
    /** `signedSeconds`: their URLs work without a key for so long. */
    list({
      signal,
      ...filters
    }: CallOptions & { stepId?: string; signedSeconds?: number } = {}): AsyncGenerator<Artifact, void, undefined> {
      return paged((cursor) =>
        answerOf(
          api.GET('/v1/sessions/{sessionId}/artifacts', {
            params: { path: { sessionId }, query: { ...filters, ...cursor } },
            ...(signal && { signal }),
          }),
        ),
      );
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
