import { type Fault, faultWords, idempotencyKeySchema, invalidRequest, Problem } from '@holdfast/specs/public';
import { z } from 'zod';
import type { Edge, EdgeContext } from './edge.ts';
import { readBody } from './read-body.ts';

/** An answer lists at most this many; `detail` has the true count. */
const faultsListedMax = 100;

type Shape = {
  path?: z.ZodObject;
  query?: z.ZodObject;
  /** Names in lower case. */
  headers?: z.ZodObject;
  /** `streamed`: the operation reads it itself. */
  body?: z.ZodType | 'streamed';
  /** Refuses a number in the body that would be rounded. */
  isExact?: boolean;
  /** Returns what the body's schema would make of a value in a plain form, or null if the schema has to look at it. */
  plainBody?: (value: unknown) => unknown;
};
type Parsed<S extends Shape> = { [Part in keyof S & string]: S[Part] extends z.ZodType ? z.output<S[Part]> : never };

const nothing = z.strictObject({});

/** The header that makes a repeated request return the first answer. */
export const idempotencyHeader = z.object({ 'idempotency-key': idempotencyKeySchema.optional() });

/**
 * Reads the parts of a request that `shape` names, each by its schema. Any other part but the headers must be empty.
 * @throws Problem `invalid-request` with all faults of all parts; `body-too-large` or `unsupported-media-type`
 */
export async function readRequest<const S extends Shape>(
  edge: Pick<Edge, 'bodyBytesMax' | 'bodyMs'>,
  c: EdgeContext,
  shape: S,
): Promise<Parsed<S>> {
  const faults: Fault[] = [];
  const parsed: Record<string, unknown> = {};
  const check = (part: keyof Shape, schema: z.ZodType, value: unknown, root: string) => {
    const result = schema.safeParse(value, { error: faultWords });
    if (result.success) parsed[part] = result.data;
    else faults.push(...(invalidRequest(result.error, root).options.errors ?? []));
  };

  if (shape.path) check('path', shape.path, c.req.param(), 'path');
  if (shape.query || c.req.url.includes('?'))
    check('query', shape.query ?? nothing, queryOf(c, shape.query ?? nothing, faults), 'query');
  if (shape.headers) check('headers', shape.headers, headersOf(c, shape.headers), 'header');
  if (shape.body !== 'streamed' && c.req.method !== 'GET' && c.req.method !== 'DELETE') {
    const body = await bodyOf(edge, c, { faults, isExact: shape.isExact ?? false });
    const schema = shape.body ?? nothing.optional();
    const plain = body && shape.plainBody?.(body.value);
    if (plain) parsed.body = plain;
    else if (body && body.value === undefined && !schema.safeParse(undefined).success) {
      faults.push({ pointer: '', detail: 'a JSON body is needed' });
    } else if (body) check('body', schema, body.value, '');
  }
  if (faults.length === 0) return parsed as Parsed<S>;
  throw new Problem('invalid-request', {
    detail: faults.length === 1 ? '1 fault' : `${faults.length} faults`,
    errors: faults.slice(0, faultsListedMax),
  });
}

/** The body, or null with a further fault if it is not JSON. */
async function bodyOf(
  edge: Pick<Edge, 'bodyBytesMax' | 'bodyMs'>,
  c: EdgeContext,
  { faults, isExact }: { faults: Fault[]; isExact: boolean },
) {
  try {
    return { value: await readBody(edge, c, { isExact }) };
  } catch (error) {
    if (!(error instanceof Problem) || error.slug !== 'invalid-request' || !error.options.errors) throw error;
    faults.push(...error.options.errors);
    return null;
  }
}

/** The query: arrays for the parameters that the schema has as arrays, strings for the others, which may come only once. */
function queryOf(c: EdgeContext, schema: z.ZodObject, faults: Fault[]): Record<string, string | string[]> {
  if (!c.req.url.includes('?')) return {};
  return Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => {
      const expected: unknown = schema.shape[name];
      const plural = expected instanceof z.ZodOptional && expected.unwrap() instanceof z.ZodArray;
      if (expected instanceof z.ZodType && !plural && values.length > 1) {
        faults.push({ pointer: `query/${name}`, detail: 'must be given once' });
      }
      return [name, plural ? values : (values[0] as string)];
    }),
  );
}

const headersOf = (c: EdgeContext, schema: z.ZodObject) =>
  Object.fromEntries(Object.keys(schema.shape).map((name) => [name, c.req.header(name)]));
