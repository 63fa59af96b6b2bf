import { unsignedClaimsHeader, watchedHeader } from '@holdfast/specs/agent';

/** A request for a step. `headers` has what authentication needs; `body` shares the memory of the chunk in which the request came. */
export type PlainStepRequest = {
  headers: { authorization?: string; [unsignedClaimsHeader]?: string };
  isWatched: boolean;
  body: Buffer;
};

const requestLine = 'POST /v1/steps HTTP/1.1\r\n';
const headBytesMax = 4096;
const digits = /^[0-9]{1,9}$/;

/**
 * Reads a chunk that is one whole `POST /v1/steps` as the data-plane sends it: only headers that matter here, each of them once, and a JSON
 * body of a known length (RFC 9112). Returns null for any other chunk, which Node's own parser has to read. Pure.
 */
export function plainStepRequest(chunk: Buffer): PlainStepRequest | null {
  const text = chunk.toString('latin1', 0, headBytesMax);
  if (!text.startsWith(requestLine)) return null;
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const values = new Map<string, string>();
  for (let at = requestLine.length; at < headEnd; ) {
    const end = text.indexOf('\r\n', at);
    const colon = text.indexOf(': ', at);
    if (colon < 0 || colon > end) return null;
    const name = text.slice(at, colon).toLowerCase();
    if (!understood.has(name) || values.has(name)) return null;
    values.set(name, text.slice(colon + 2, end));
    at = end + 2;
  }
  const length = values.get('content-length') ?? '';
  const isWhole = digits.test(length) && chunk.length === headEnd + 4 + Number(length);
  const isJson = values.get('content-type') === 'application/json';
  if (!isWhole || !isJson || !values.has('host') || (values.get('connection') ?? keepAlive) !== keepAlive) return null;
  const authorization = values.get('authorization');
  const claims = values.get(unsignedClaimsHeader);
  return {
    headers: { ...(authorization && { authorization }), ...(claims && { [unsignedClaimsHeader]: claims }) },
    isWatched: values.has(watchedHeader),
    body: chunk.subarray(headEnd + 4),
  };
}

const keepAlive = 'keep-alive';

const understood: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-type',
  'content-length',
  'authorization',
  unsignedClaimsHeader,
  watchedHeader,
]);
