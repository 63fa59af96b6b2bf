/** As much of a WebSocket as a channel uses. */
export type Socket = {
  binaryType: string;
  /** The bytes that were sent and have not left. */
  readonly bufferedAmount: number;
  send(message: string | Uint8Array): void;
  close(): void;
  addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  /** Only the package `ws` tells of pings, with which the server shows that it is there. */
  on?(type: 'ping', listener: () => void): unknown;
  /** Only the package `ws` can stop reading. */
  pause?(): void;
  resume?(): void;
};

/** The constructor of a WebSocket: the global one of browsers, Node 22, Bun and Deno, or that of the package `ws`. */
export type WebSocketConstructor = new (url: string, options: never) => object;

type Opening = { url: string; headers: Record<string, string>; webSocket: WebSocketConstructor | undefined };

/**
 * Begins to open a WebSocket. A program sends its key in a header. Browsers cannot, so the token of a share link is in the address there, which
 * proxies write into their logs.
 * @throws TypeError if this runtime has no WebSocket, or none that sends headers
 */
export function openSocket({ url, headers, webSocket }: Opening): Socket {
  const Constructor = (webSocket ?? globalThis.WebSocket) as
    | (new (
        url: string,
        options?: object,
      ) => Socket)
    | undefined;
  if (!Constructor) throw new TypeError('this runtime has no WebSocket: give the one of the package ws as `webSocket`');
  const address = new URL(url.replace(/^http/i, 'ws'));
  if (Object.keys(headers).length === 0) return new Constructor(address.href);
  try {
    return new Constructor(address.href, { headers });
  } catch (cause) {
    const [, token] = /^Bearer (hfs_.*)$/.exec(headers.Authorization ?? '') ?? [];
    if (!token || Object.keys(headers).length > 1) {
      const advice = 'a page opens a channel with the token of a share link as `apiKey`, and without `headers`';
      throw new TypeError(`this WebSocket cannot send headers: ${advice}`, { cause });
    }
    address.searchParams.set('token', token);
    return new Constructor(address.href);
  }
}
