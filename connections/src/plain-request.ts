/** A request in the plainest form. `headers` has lower-case names; `body` shares the memory of the chunk in which the request came. */
export type PlainRequest = { path: string; headers: ReadonlyMap<string, string>; body: Buffer };

type Expected = {
  isPath(path: string): boolean;
  /** @param name in lower case */
  isPlainHeader(name: string, value: string): boolean;
};

const headBytesMax = 4096;
/** Node's server reads longer bodies as they come. */
const partBytesMax = 64 * 1024;
const form = /^POST (\/[\w/.-]*) HTTP\/1\.1\r\n(?:[\w-]+: [!-~](?:[ -~]*[!-~])?\r\n)+$/;

/**
 * Reads a chunk that is one whole POST: each header once and one that `isPlainHeader` takes, a Host, and a JSON body of a known length
 * (RFC 9112). Returns `part` if only a part of a short body is missing, and null for any other chunk, which Node's own parser has to read. Pure.
 */
export function readPlainRequest(chunk: Buffer, { isPath, isPlainHeader }: Expected): PlainRequest | 'part' | null {
  const text = chunk.toString('latin1', 0, headBytesMax);
  const headEnd = text.indexOf('\r\n\r\n');
  const head = text.slice(0, headEnd + 2);
  const path = headEnd < 0 ? undefined : form.exec(head)?.[1];
  if (path === undefined || !isPath(path)) return null;
  const headers = new Map<string, string>();
  for (let at = head.indexOf('\r\n') + 2; at < head.length; ) {
    const colon = head.indexOf(': ', at);
    const end = head.indexOf('\r\n', at);
    const name = head.slice(at, colon).toLowerCase();
    const value = head.slice(colon + 2, end);
    if (headers.has(name) || !(framing.get(name)?.test(value) ?? isPlainHeader(name, value))) return null;
    headers.set(name, value);
    at = end + 2;
  }
  const isWhole = headers.has('host') && headers.has('content-length') && headers.has('content-type');
  if (!isWhole) return null;
  const body = chunk.subarray(headEnd + 4);
  const length = Number(headers.get('content-length'));
  if (body.length === length) return { path, headers, body };
  return body.length < length && length <= partBytesMax ? 'part' : null;
}

/** The headers that say where a request ends and what becomes of the connection after it. */
const framing: ReadonlyMap<string, RegExp> = new Map([
  ['host', /^/],
  ['connection', /^keep-alive$/i],
  ['content-length', /^[0-9]{1,9}$/],
  ['content-type', /^application\/json$/],
]);
