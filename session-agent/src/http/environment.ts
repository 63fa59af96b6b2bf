import type { HttpBindings } from '@hono/node-server';

/** What routes get from the server: Node's own request and response. */
export type Environment = { Bindings: HttpBindings };
