import type { IncomingMessage } from 'node:http';
import { kinds, type Resource } from './objects.ts';
import { badRequest } from './refusal.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** A request in the terms of Kubernetes' authorization. `resource` is null if the path belongs to none. */
export type ApiRequest = {
  verb: Verb;
  resource: Resource | null;
  namespace: string;
  /** Empty for a collection. */
  name: string;
  subresource: string;
  path: string;
  query: URLSearchParams;
};

/** Parses the method and the URL of a request. */
export function apiRequest({ method, url }: Pick<IncomingMessage, 'method' | 'url'>): ApiRequest {
  const { pathname: path, searchParams: query } = new URL(url ?? '/', 'https://fake');
  const [, namespace = '', plural = '', name = '', subresource = ''] =
    /^\/api\/v1\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?(?:\/(.+))?$/.exec(path) ?? [];
  const resource = plural in kinds ? (plural as Resource) : null;
  const watches = ['1', 'true'].includes(query.get('watch') ?? '');
  const ofOne = name !== '' || resource === null;
  return { verb: verbOf(method ?? 'GET', { ofOne, watches }), resource, namespace, name, subresource, path, query };
}

function verbOf(method: string, { ofOne, watches }: { ofOne: boolean; watches: boolean }): Verb {
  if (method === 'POST') return 'create';
  if (method === 'PUT') return 'update';
  if (method === 'PATCH') return 'patch';
  if (method === 'DELETE') return ofOne ? 'delete' : 'deletecollection';
  if (ofOne) return 'get';
  return watches ? 'watch' : 'list';
}

const bodyBytesMax = 3 * 1024 * 1024;

/** The body as JSON, or an empty object if the body is empty. @throws Refusal 400 */
export async function jsonBody(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw badRequest('Request entity too large: limit is 3145728');
  }
  if (bytes === 0) return {};
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw badRequest("couldn't get version/kind; json parse error");
  }
}
