import type { IncomingMessage, ServerResponse } from 'node:http';

/** What routes get from the server: Node's own request and response. */
export type Environment = { Bindings: { incoming: IncomingMessage; outgoing: ServerResponse } };
