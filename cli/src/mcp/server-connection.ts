import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';

/** The session of a server, and the version of the protocol that both speak in it. */
export type ServerSession = { sessionId?: string; version?: string };

type Connecting = {
  /** The address of the server's `/mcp`. */
  endpoint: URL;
  apiKey: string | undefined;
  /** Writes a line for a person who reads along. */
  note(text: string): void;
};

/** A client that is cut off comes back for so long, in milliseconds and times. */
const reconnectionOptions = {
  initialReconnectionDelay: 200,
  maxReconnectionDelay: 5000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 60,
};

/** The answer to a request was cut off, and the rest of it cannot be had. The request may have been carried out. */
export class AnswerLost extends Error {
  readonly code: number | undefined;

  constructor(message: string, code?: number) {
    super(message);
    this.name = 'AnswerLost';
    this.code = code;
  }
}

/** Sends messages to a server. Each has a transport of its own, because the faults of a transport do not say which message they are of. */
export function createServerConnection({ endpoint, apiKey, note }: Connecting) {
  const open = new Set<() => Promise<void>>();

  async function openTransport({ sessionId, version }: ServerSession) {
    const retries = { ...reconnectionOptions };
    const transport = new StreamableHTTPClientTransport(endpoint, {
      requestInit: { headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {} },
      reconnectionOptions: retries,
      ...(sessionId !== undefined && { sessionId }),
    });
    if (version !== undefined) transport.setProtocolVersion(version);
    await transport.start();
    const close = async () => {
      open.delete(close);
      // The transport would go on trying after its end.
      retries.maxRetries = 0;
      transport.onerror = () => {};
      await transport.close();
    };
    open.add(close);
    return { transport, close };
  }

  return {
    /**
     * Sends a request and returns its answer. `onOther` gets what comes before it.
     * @throws StreamableHTTPError if the server refuses it, AnswerLost, or the error of the network
     */
    async request(
      session: ServerSession,
      message: JSONRPCRequest,
      onOther: (message: JSONRPCMessage) => void,
    ): Promise<{ answer: JSONRPCMessage; sessionId: string | undefined }> {
      const { transport, close } = await openTransport(session);
      let isResumable = false;
      try {
        const answered = new Promise<JSONRPCMessage>((resolve, reject) => {
          transport.onmessage = (received) => (isAnswer(received) ? resolve(received) : onOther(received));
          transport.onerror = (error) => {
            note(error.message);
            const code = error instanceof StreamableHTTPError ? error.code : undefined;
            const isOver = /^Maximum reconnection/.test(error.message);
            const isCut = /^SSE stream disconnected/.test(error.message) && !isResumable;
            if (isRefusal(code) || isOver || isCut) reject(new AnswerLost(error.message, code));
          };
        });
        answered.catch(() => {});
        await transport.send(message, {
          onresumptiontoken: () => {
            isResumable = true;
          },
        });
        const answer = await answered;
        return { answer, sessionId: transport.sessionId };
      } finally {
        await close();
      }
    },

    async notify(session: ServerSession, message: JSONRPCMessage): Promise<void> {
      const { transport, close } = await openTransport(session);
      try {
        await transport.send(message);
      } finally {
        await close();
      }
    },

    /** Ends the session. */
    async end(session: ServerSession): Promise<void> {
      const { transport } = await openTransport(session);
      await transport.terminateSession();
    },

    /** Leaves requests without an answer. */
    async close(): Promise<void> {
      await Promise.all([...open].map((close) => close()));
    },
  };
}

/** A server that is too busy, or not there, may answer later. */
const isRefusal = (code = 500) => code >= 400 && code < 500 && code !== 429;

const isAnswer = (message: JSONRPCMessage) => !('method' in message);
