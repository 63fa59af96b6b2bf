/** Headers of one connection (RFC 9110, 7.6.1, with those of older clients), which a proxy does not pass on. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  // Trailers are passed on without an announcement, which an answer that is not chunked must not have.
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);

export type Field = [name: string, value: string];

/** Raw headers as pairs, without those of one connection. Pure. */
export function endToEnd(raw: readonly string[]): Field[] {
  const fields = raw.flatMap((name, at): Field[] => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : []));
  const named = fields.flatMap(([name, value]) => (name.toLowerCase() === 'connection' ? value.split(',') : []));
  const dropped = new Set(named.map((name) => name.trim().toLowerCase()));
  return fields.filter(([name]) => !hopByHop.has(name.toLowerCase()) && !dropped.has(name.toLowerCase()));
}

/** The fields after a body that may be passed on: none that says where the body ends or who sends it (RFC 9110, 6.5.1). Pure. */
export const trailersOf = (raw: readonly string[]): Field[] =>
  endToEnd(raw).filter(([name]) => !notTrailers.test(name.toLowerCase()));

const notTrailers =
  /^(host|authorization|cookie|set-cookie|trailer|via|forwarded|location|content-.*|x-forwarded-.*|x-api-key|holdfast-.*)$/;
