type Fields = Record<string, string> | PlainHeaders;
type Body = string | null;

/**
 * What hono makes of a route's answer, in the place of Node's own `Response`, which loads Node's HTTP client to be there: 4 MiB, a
 * fifth of an idle agent's memory. Has what hono and `listen` read of it.
 */
export class PlainResponse {
  readonly body: Body;
  readonly status: number;
  readonly headers: Fields;

  constructor(body: Body = null, { status = 200, headers = {} }: { status?: number; headers?: Fields } = {}) {
    this.body = body;
    this.status = status;
    this.headers = headers;
  }
}

/** What hono collects the headers of an answer in, where there are two or more. */
export class PlainHeaders extends Map<string, string> {
  override set(name: string, value: string): this {
    return super.set(name.toLowerCase(), value);
  }
}

/** What a route returns that has answered, or will, through Node's own response. */
export const answeredItself = new PlainResponse() as unknown as Response;
