import type { IncomingMessage } from 'node:http';
import type Docker from 'dockerode';

type Abort = { abortSignal: AbortSignal };

/**
 * Calls to Podman's own API, which the client library does not know, over the library's connection.
 * @see https://docs.podman.io/en/latest/_static/api.html
 */
export function createLibpod({ modem }: Pick<Docker, 'modem'>) {
  return {
    /** Whether the engine is Podman. A header of every response says so at once; asking for the version can take seconds. */
    async answers(abort: Abort): Promise<boolean> {
      const answer = (await dial({ path: '/_ping', method: 'GET', isStream: true, ...abort })) as IncomingMessage;
      answer.resume();
      return answer.headers['libpod-api-version'] !== undefined;
    },

    async createNetwork(options: object, abort: Abort): Promise<void> {
      await dial({ path: '/v4.0.0/libpod/networks/create', method: 'POST', options, ...abort });
    },
  };

  function dial(request: { path: string; method: string; options?: object; isStream?: boolean } & Abort) {
    const statusCodes = { 200: true, 201: true };
    return new Promise<unknown>((resolve, reject) => {
      modem.dial({ ...request, statusCodes }, (error: unknown, answer: unknown) =>
        error ? reject(error) : resolve(answer),
      );
    });
  }
}
