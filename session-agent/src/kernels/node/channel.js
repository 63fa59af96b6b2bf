import { Socket } from 'node:net';

const lengthBytes = 4;

/** Messages with the agent on fd 3: four bytes of length (big-endian), then JSON. The kernel ends with its agent. */
export function openChannel(onRequest) {
  const socket = new Socket({ fd: 3 });
  const kill = () => process.kill(process.pid, 'SIGKILL');
  let received = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = received.length > 0 ? Buffer.concat([received, chunk]) : chunk;
    while (received.length >= lengthBytes) {
      const end = lengthBytes + received.readUInt32BE(0);
      if (received.length < end) return;
      const request = JSON.parse(received.toString('utf8', lengthBytes, end));
      received = received.subarray(end);
      onRequest(request);
    }
  });
  socket.on('close', kill);
  socket.on('error', kill);
  return {
    /** Sends messages in one go. Lone surrogates, which UTF-8 cannot hold, arrive as replacement characters. */
    send(...messages) {
      socket.write(Buffer.concat(messages.map(encode)));
    },
  };
}

function encode(message) {
  const json = JSON.stringify(message, (_key, value) => (typeof value === 'string' ? value.toWellFormed() : value));
  const length = Buffer.byteLength(json);
  const buffer = Buffer.allocUnsafe(lengthBytes + length);
  buffer.writeUInt32BE(length, 0);
  buffer.write(json, lengthBytes);
  return buffer;
}
