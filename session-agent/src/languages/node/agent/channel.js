import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import process from 'node:process';
import { TextDecoder, TextEncoder } from 'node:util';
import { ownMethods } from '../realm/own-methods.js';

const lengthBytes = 4;
const pieceBytes = 65_536;
const retryMs = 1;
const never = new Int32Array(new SharedArrayBuffer(4));

/** Opens the channel to the agent on fd 3. A message is four bytes of length (big-endian), then JSON. The kernel ends with its agent. */
export function openChannel(onRequest) {
  const kill = process.kill.bind(process, process.pid, 'SIGKILL');
  // Reads without the stream's buffers, which need `nextTick`, `instanceof` and events of the user's realm.
  const onread = { buffer: new Uint8Array(pieceBytes), callback: (length, piece) => take(piece.slice(0, length)) };
  const decoder = ownMethods(new TextDecoder());
  const encoder = ownMethods(new TextEncoder());
  let received = new Uint8Array(0);
  const takeRequest = () => {
    if (received.length < lengthBytes) return null;
    const end = lengthBytes + new DataView(received.buffer, received.byteOffset).getUint32(0);
    if (received.length < end) return null;
    const request = JSON.parse(decoder.decode(received.subarray(lengthBytes, end)));
    received = received.subarray(end);
    return request;
  };
  const take = (piece) => {
    received = joined(received, piece);
    for (let request = takeRequest(); request !== null; request = takeRequest()) onRequest(request);
  };
  const socket = ownMethods(new Socket({ fd: 3, onread }));
  socket.on('close', kill);
  socket.on('error', kill);
  return {
    /** Sends messages and returns when the agent's socket has them, so that none is lost with the process or piles up in it. */
    send(...messages) {
      writeAll(messages.map((message) => framed(encoder.encode(JSON.stringify(message, wellFormed)))).reduce(joined));
    },
  };
}

function joined(first, second) {
  if (first.length === 0) return second;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** Turns lone surrogates, which UTF-8 cannot hold, into replacement characters. */
function wellFormed(_key, value) {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

function framed(body) {
  const frame = new Uint8Array(lengthBytes + body.length);
  new DataView(frame.buffer).setUint32(0, body.length);
  frame.set(body, lengthBytes);
  return frame;
}

function writeAll(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(3, bytes, at, bytes.length - at);
    } catch (error) {
      if (error.code !== 'EAGAIN') return;
      Atomics.wait(never, 0, 0, retryMs);
    }
  }
}
