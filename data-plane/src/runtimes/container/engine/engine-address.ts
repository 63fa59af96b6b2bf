/** Where a container engine listens, as the client library takes it. */
export type EngineAddress = { socketPath: string } | { host: string; port: number; protocol: 'http' };

/**
 * An address as DOCKER_HOST has it: `unix:///path` or `tcp://host:port`, null for anything else. Sandboxes are reached by their addresses
 * on the engine's machine, so a far one, by TLS or SSH, would be of no use. Pure.
 */
export function parseEngineAddress(value: string): EngineAddress | null {
  if (value.startsWith('unix:///')) return { socketPath: value.slice('unix://'.length) };
  const parts = /^(?:tcp|http):\/\/([A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\]):(\d{1,5})\/?$/.exec(value);
  const port = Number(parts?.[2]);
  if (!parts?.[1] || port < 1 || port > 65_535) return null;
  return { host: parts[1].replace(/^\[|\]$/g, ''), port, protocol: 'http' };
}
