import type { CreateSession, Session as SessionRecord } from '../generated/api.ts';
import { answerOf, type CallOptions, type Connection } from '../http/create-api.ts';
import { paged } from '../http/paged.ts';
import { Session } from './session.ts';

/** The settings of a session. */
export type CreateOptions = CreateSession & CallOptions;

/** The sessions that a list has, and their order. */
export type ListOptions = CallOptions & {
  status?: SessionRecord['status'] | SessionRecord['status'][] | undefined;
  /** Sessions that have all of these. */
  metadata?: Record<string, string> | undefined;
  clientKey?: string | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  order?: 'asc' | 'desc' | undefined;
};

/** The sessions of a tenant. */
export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(connection: Connection) {
  const { api } = connection;
  return {
    /**
     * Creates a session and resolves when it is ready to run code. With a `clientKey`, a session with this key that lives is the answer, and is
     * left alone by `await using`.
     * @example
     * await using session = await holdfast.sessions.create({ language: 'python' });
     */
    async create({ signal, ...body }: CreateOptions = {}): Promise<Session> {
      const { data, response } = await api.POST('/v1/sessions', { body, ...(signal && { signal }) });
      return new Session(connection, data as SessionRecord, { isNew: response.status === 201 });
    },

    /** The session with this id, whatever its status. */
    async get(sessionId: string, { signal }: CallOptions = {}): Promise<Session> {
      const params = { path: { sessionId } };
      return new Session(
        connection,
        await answerOf(api.GET('/v1/sessions/{sessionId}', { params, ...(signal && { signal }) })),
      );
    },

    /** All sessions that match, page by page. */
    async *list({
      signal,
      metadata,
      createdAfter,
      createdBefore,
      status,
      ...rest
    }: ListOptions = {}): AsyncGenerator<Session, void, undefined> {
      const filters = {
        ...rest,
        ...(status && { status: [status].flat() }),
        ...(metadata && { metadata: Object.entries(metadata).map(([key, value]) => `${key}:${value}`) }),
        ...(createdAfter && { createdAfter: createdAfter.toISOString() }),
        ...(createdBefore && { createdBefore: createdBefore.toISOString() }),
      };
      const records = paged((cursor) =>
        answerOf(api.GET('/v1/sessions', { params: { query: { ...filters, ...cursor } }, ...(signal && { signal }) })),
      );
      for await (const record of records) yield new Session(connection, record);
    },
  };
}
