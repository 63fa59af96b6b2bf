const bytesMax = 4096;
const secretName = /secret|passw(or)?d|credential|authorization|cookie|passphrase|(private|api|access)[-_]?key|token$/i;

/**
 * The arguments of an operation as the audit log keeps them: without the values of fields whose names sound secret, and at most 4 KiB of JSON.
 * Longer texts are cut first; if that is not enough, only the names of the fields stay. Pure.
 */
export function auditArguments(given: Record<string, unknown>): Record<string, unknown> {
  const redacted = redact(given, 0) as Record<string, unknown>;
  if (fits(redacted)) return redacted;
  const names = {
    omitted: Object.keys(given)
      .map((name) => name.slice(0, 64))
      .slice(0, 32),
  };
  const short = cut(redacted) as Record<string, unknown>;
  return fits(short) ? short : names;
}

const fits = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '') <= bytesMax;

const depthMax = 8;

function redact(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD').toWellFormed() : value;
  if (depth === depthMax) return '…';
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      redact(name, depth),
      secretName.test(name) ? '[redacted]' : redact(item, depth + 1),
    ]),
  );
}

/** Long texts and lists with their beginnings only. */
function cut(value: unknown): unknown {
  if (typeof value === 'string') return value.length > 256 ? `${value.slice(0, 256).toWellFormed()}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, 16).map(cut);
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 16)
      .map(([name, item]) => [name, cut(item)]),
  );
}
