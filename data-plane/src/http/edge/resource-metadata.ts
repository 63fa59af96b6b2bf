import { scopeSchema, tokenScope } from '@holdfast/specs/public';
import type { Edge, EdgeApp, EdgeContext } from './edge.ts';

type TokenIssuer = NonNullable<Edge['tokenIssuer']>;

const wellKnown = '/.well-known/oauth-protected-resource';

/** The resources and the scopes that they need: the API, and the tools for models as a part of it. */
const resources = new Map([
  ['', scopeSchema.options],
  ['/mcp', ['run']],
] as const);

/** Tells clients from which issuer they get tokens for this server (RFC 9728), as MCP's authorization demands. Needs no key. */
export function serveResourceMetadata(app: EdgeApp, { tokenIssuer }: Pick<Edge, 'tokenIssuer'>): void {
  if (tokenIssuer === null) return;
  for (const [path, scopes] of resources) {
    app.get(`${wellKnown}${path}`, (c) =>
      c.json({
        resource: `${originOf(tokenIssuer, c)}${path}`,
        resource_name: 'Holdfast',
        authorization_servers: [tokenIssuer.issuer],
        scopes_supported: scopes.map(tokenScope),
        bearer_methods_supported: ['header'],
      }),
    );
  }
}

/** The address of the metadata of the resource that a request is for. */
export function metadataUrl(tokenIssuer: TokenIssuer, c: EdgeContext): string {
  const isMcp = c.req.url.replace(/^https?:\/\/[^/]*/, '').split('?')[0] === '/mcp';
  return `${originOf(tokenIssuer, c)}${wellKnown}${isMcp ? '/mcp' : ''}`;
}

function originOf({ publicUrl }: TokenIssuer, c: EdgeContext): string {
  const named = `http://${c.req.header('host') ?? 'localhost'}`;
  return publicUrl ?? (URL.canParse(named) ? new URL(named).origin : 'http://localhost');
}
