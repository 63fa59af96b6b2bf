import { expect, test } from 'vitest';
import { openSocket, type WebSocketConstructor } from './open-socket.ts';

const url = 'http://server.test/channel?after=3';
const headers = { Authorization: 'Bearer hfs_token' };

/** A WebSocket that shows with which arguments it was opened. That of a page takes names of protocols in the place of options. */
function createConstructor(takesHeaders: boolean): { opened: unknown[][]; webSocket: WebSocketConstructor } {
  const opened: unknown[][] = [];
  class Scripted {
    constructor(...given: unknown[]) {
      if (given.length > 1 && !takesHeaders) throw new SyntaxError('[object Object] is not a protocol');
      opened.push(given);
    }
  }
  return { opened, webSocket: Scripted as WebSocketConstructor };
}

test('a token of a share link is a header if headers can be sent, and in the address if not', () => {
  const program = createConstructor(true);
  openSocket({ url, headers, webSocket: program.webSocket });
  expect(program.opened).toEqual([['ws://server.test/channel?after=3', { headers }]]);
  const page = createConstructor(false);
  openSocket({ url, headers, webSocket: page.webSocket });
  expect(page.opened).toEqual([['ws://server.test/channel?after=3&token=hfs_token']]);
});

test.each([{ Authorization: 'Bearer hf_key' }, { ...headers, 'X-Other': 'a' }])(
  'headers that a page cannot send are never in the address: %j',
  (given) => {
    const page = createConstructor(false);
    expect(() => openSocket({ url, headers: given, webSocket: page.webSocket })).toThrow('cannot send headers');
    expect(page.opened).toEqual([]);
  },
);
