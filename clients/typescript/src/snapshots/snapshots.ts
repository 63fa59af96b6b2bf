import type { CreateSnapshot, NamedSnapshot, Restored, Snapshot } from '../generated/api.ts';
import { answerOf, type CallOptions, type Connection } from '../http/create-api.ts';

/** Saved states of the session's contexts. */
export type Snapshots = ReturnType<typeof createSnapshots>;

export function createSnapshots({ api }: Connection, sessionId: string) {
  const ofSession = { path: { sessionId } };
  return {
    /** Saves a context, and the files unless `files` is false. `notSaved` names what could not be saved, and why. */
    async create({ signal, ...body }: CreateSnapshot & CallOptions = {}): Promise<Snapshot> {
      return await answerOf(
        api.POST('/v1/sessions/{sessionId}/snapshots', { params: ofSession, body, ...(signal && { signal }) }),
      );
    },

    /** All snapshots, also those that the server made by itself. */
    async list({ signal }: CallOptions = {}): Promise<Snapshot[]> {
      const call = api.GET('/v1/sessions/{sessionId}/snapshots', { params: ofSession, ...(signal && { signal }) });
      return (await answerOf(call)).items;
    },

    /** Gives the context of the snapshot the state that it had then. */
    async restore(snapshotId: string, { signal }: CallOptions = {}): Promise<Restored> {
      const request = { params: ofSession, body: { snapshotId }, ...(signal && { signal }) };
      return await answerOf(api.POST('/v1/sessions/{sessionId}/restore', request));
    },

    /** Makes it a prepared environment that outlives the session: `sessions.create({ fromSnapshot: name })`. */
    async name(snapshotId: string, name: string, { signal }: CallOptions = {}): Promise<NamedSnapshot> {
      return await answerOf(api.POST('/v1/snapshots', { body: { name, snapshotId }, ...(signal && { signal }) }));
    },

    /** Deletes a snapshot that was asked for. */
    async delete(snapshotId: string, { signal }: CallOptions = {}): Promise<void> {
      const params = { path: { sessionId, snapshotId } };
      await api.DELETE('/v1/sessions/{sessionId}/snapshots/{snapshotId}', { params, ...(signal && { signal }) });
    },
  };
}
