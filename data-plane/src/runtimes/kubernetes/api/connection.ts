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

/** The way to one API server: its address, our credentials and one pool of connections for all calls and the watch. */
export type Connection = {
  server: string;
  configuration: Configuration;
  /** What a call that the client library does not make needs. */
  authenticated(): Promise<{ headers: Record<string, string>; dispatcher: Dispatcher | undefined }>;
  close(): Promise<void>;
};

const connectTimeoutMs = 3000;
/** Bounds what a storm of launches opens at once; one of them is the watch's. */
const connectionsMax = 16;

/** @throws Error where the configuration names no cluster, or one without TLS, as the client library does where there is none. */
export function createConnection(kubeConfig: KubeConfig): Connection {
  const cluster = kubeConfig.getCurrentCluster();
  if (!cluster) throw new Error('the Kubernetes configuration names no cluster');
  if (cluster.server.startsWith('http:') && !cluster.skipTLSVerify)
    throw new Error(`the Kubernetes API at ${cluster.server} is without TLS: is there a Kubernetes configuration?`);
  let pool: { of: string; dispatcher: Dispatcher } | null = null;

  const authentication: SecurityAuthentication = {
    getName: () => 'holdfast',
    async applySecurityAuthentication(context) {
      const options: RequestOptions = {};
      await kubeConfig.applyToHTTPSOptions(options);
      context.setHeaderParam('User-Agent', 'holdfast');
      for (const [name, value] of Object.entries(options.headers ?? {})) context.setHeaderParam(name, String(value));
      if (options.auth)
        context.setHeaderParam('Authorization', `Basic ${Buffer.from(options.auth).toString('base64')}`);
      context.setDispatcher(pooled(options));
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

    close: async () => await pool?.dispatcher.destroy(),
  };

  /** The client library would make a pool, and so a TLS connection, for every call. Certificates that were replaced get a new one. */
  function pooled(options: RequestOptions): Dispatcher {
    const of = [options.ca, options.cert, options.key].map(String).join('\n');
    if (pool?.of === of) return pool.dispatcher;
    // What is under way on the old connections may finish.
    void pool?.dispatcher.close().catch(() => {});
    pool = { of, dispatcher: createDispatcher(options) };
    return pool.dispatcher;
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
