/** The address of a container engine, in the form that the client library takes. */
export type EngineAddress = { socketPath: string } | { host: string; port: number; protocol: 'http' };

/**
 * Parses an address in the form of DOCKER_HOST: `unix:///path` or `tcp://host:port`. Returns null for anything else. TLS and SSH are not
 * supported: they are for remote engines, and the addresses of sandboxes are only reachable on the engine's own machine. Pure.
 */
export function parseEngineAddress(value: string): EngineAddress | null {
  if (value.startsWith('unix:///')) return { socketPath: value.slice('unix://'.length) };
  const parts = /^(?:tcp|http):\/\/([A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\]):(\d{1,5})\/?$/.exec(value);
  const port = Number(parts?.[2]);
  if (!parts?.[1] || port < 1 || port > 65_535) return null;
  return { host: parts[1].replace(/^\[|\]$/g, ''), port, protocol: 'http' };
}
