import type { IncomingMessage } from 'node:http';
import { answerHeaders } from './answer-headers.ts';
import type { Forward } from './forward.ts';

type Join = Pick<Forward, 'incoming' | 'outgoing' | 'connection' | 'cookieNames' | 'early'> & {
  answer: IncomingMessage;
  /** The bytes that came behind the head of the server's answer. */
  late: Buffer;
};

/** Joins the visitor's connection with that of the server, which has agreed to a WebSocket. Resolves when both are closed. */
export function joinUpgrade(join: Join): Promise<void> {
  const { incoming, outgoing, connection, cookieNames, early, answer, late } = join;
  const { socket } = incoming;
  const fields = [...answerHeaders(answer.rawHeaders, cookieNames), 'Connection', 'Upgrade', 'Upgrade', 'websocket'];
  const lines = fields.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${fields[at + 1]}`] : []));
  outgoing.detachSocket(socket);
  outgoing.statusCode = 101;
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (early.length > 0) socket.unshift(early);
  if (late.length > 0) connection.unshift(late);
  return new Promise((resolve) => {
    const end = () => {
      socket.destroy();
      connection.destroy();
    };
    for (const side of [socket, connection]) side.on('error', end).once('close', end);
    socket.once('close', () => resolve());
    socket.pipe(connection).pipe(socket);
  });
}
