import type { AgentOptions, RequestOptions } from 'node:https';
import {
  type Configuration,
  createConfiguration,
  HttpMethod,
  type KubeConfig,
  RequestContext,
  type SecurityAuthentication,
  ServerConfiguration,
} from '@kubernetes/client-node';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';

/** One API server: its address, our credentials, and the connections that all calls and the watch share. */
export type Connection = {
  server: string;
  configuration: Configuration;
  /** Headers and dispatcher for a call that does not go through the client library. */
  authenticated(): Promise<{ headers: Record<string, string>; dispatcher: Dispatcher | undefined }>;
  close(): Promise<void>;
};

const connectTimeoutMs = 3000;
/** Limits the connections during a burst of launches. The watch uses one of them. */
const connectionsMax = 16;

/**
 * @throws Error if the configuration names no cluster, or a cluster without TLS. The client library's default, which applies without any
 * configuration, is such a cluster
 */
export function createConnection(kubeConfig: KubeConfig): Connection {
  const cluster = kubeConfig.getCurrentCluster();
  if (!cluster) throw new Error('the Kubernetes configuration names no cluster');
  if (cluster.server.startsWith('http:') && !cluster.skipTLSVerify)
    throw new Error(`the Kubernetes API at ${cluster.server} does not use TLS; is a Kubernetes configuration there?`);
  let shared: { credentials: string; dispatcher: Dispatcher } | null = null;

  const authentication: SecurityAuthentication = {
    getName: () => 'holdfast',
    async applySecurityAuthentication(context) {
      const options: RequestOptions = {};
      await kubeConfig.applyToHTTPSOptions(options);
      context.setHeaderParam('User-Agent', 'holdfast');
      for (const [name, value] of Object.entries(options.headers ?? {})) context.setHeaderParam(name, String(value));
      if (options.auth)
        context.setHeaderParam('Authorization', `Basic ${Buffer.from(options.auth).toString('base64')}`);
      context.setDispatcher(sharedDispatcher(options));
    },
  };

  return {
    server: cluster.server,
    configuration: createConfiguration({
      baseServer: new ServerConfiguration(cluster.server, {}),
      authMethods: { default: authentication },
    }),

    async authenticated() {
      const context = new RequestContext(cluster.server, HttpMethod.GET);
      await authentication.applySecurityAuthentication(context);
      return { headers: context.getHeaders(), dispatcher: context.getDispatcher() };
    },

    close: async () => await shared?.dispatcher.destroy(),
  };

  /** The client library would create a dispatcher, and so a TLS connection, for every call. A new one is needed only for new certificates. */
  function sharedDispatcher(options: RequestOptions): Dispatcher {
    const credentials = [options.ca, options.cert, options.key].map(String).join('\n');
    if (shared?.credentials === credentials) return shared.dispatcher;
    // Calls that are under way on the old connections may finish.
    void shared?.dispatcher.close().catch(() => {});
    shared = { credentials, dispatcher: createDispatcher(options) };
    return shared.dispatcher;
  }

  function createDispatcher(options: RequestOptions): Dispatcher {
    const made = kubeConfig.createDispatcherOptions(cluster, options as AgentOptions);
    const limits = { connections: connectionsMax, allowH2: false };
    if (made.type === 'socks') throw new Error(`a SOCKS proxy (${made.uri}) is not supported`);
    if (made.type === 'proxy') return new ProxyAgent({ uri: made.uri, requestTls: made.requestTls, ...limits });
    const connect = made.type === 'agent' ? made.connect : {};
    return new Agent({ connect: { ...connect, timeout: connectTimeoutMs }, ...limits });
  }
}
