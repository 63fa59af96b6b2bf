import type { OpenedPort, OpenPort, Port } from '../generated/api.ts';
import { answerOf, type CallOptions, type Connection } from '../http/create-api.ts';
import { paged } from '../http/paged.ts';

/** With `waitSeconds` the port is opened only once a server listens. */
export type OpenOptions = Omit<OpenPort, 'port'> & CallOptions;

/** Web addresses of servers that listen in the sandbox. */
export type Ports = ReturnType<typeof createPorts>;

export function createPorts({ api }: Connection, sessionId: string) {
  return {
    /**
     * Gives a port an address of its own. With `access: 'link'`, the `url` has a token that lets in anyone who has it.
     * @example
     * const { url } = await session.ports.open(5173, { access: 'link', waitSeconds: 30 });
     */
    async open(port: number, { signal, ...rest }: OpenOptions = {}): Promise<OpenedPort> {
      return await answerOf(
        api.POST('/v1/sessions/{sessionId}/ports', {
          params: { path: { sessionId } },
          body: { ...rest, port },
          ...(signal && { signal }),
        }),
      );
    },

    /** Newest first, also those that are closed by now. */
    list({ signal }: CallOptions = {}): AsyncGenerator<Port, void, undefined> {
      return paged((query) =>
        answerOf(
          api.GET('/v1/sessions/{sessionId}/ports', {
            params: { path: { sessionId }, query },
            ...(signal && { signal }),
          }),
        ),
      );
    },

    /** Closes a port and ends its visits. */
    async close(portId: string, { signal }: CallOptions = {}): Promise<void> {
      const params = { path: { sessionId, portId } };
      await api.DELETE('/v1/sessions/{sessionId}/ports/{portId}', { params, ...(signal && { signal }) });
    },
  };
}
