import { createPublicKey, randomBytes, verify } from 'node:crypto';
import type { Socket } from 'node:net';
import { type Proof, proofSchema, proofText } from '@holdfast/specs/agent';

const responseBytesMax = 4096;

/** The peer is not the sandbox that we mean; nothing of a session was written to it. */
export class PeerError extends Error {
  override name = 'PeerError';
}

/** The peer has not proved itself in time. It may be the sandbox, on a busy machine. */
export class PeerTimeout extends PeerError {
  override name = 'PeerTimeout';
}

/** The session has no use for this sandbox any more. */
export class PeerReplaced extends PeerError {
  override name = 'PeerReplaced';
}

/**
 * Has the peer of a fresh connection sign a nonce with its uid, before a token or a body is written on it. The address of a
 * sandbox that is gone may belong to anyone's code by now.
 *
 * @param expected `publicKey` (raw, base64url) as recorded when the route was bound; null only while binding it.
 * @returns the proven public key
 * @throws PeerError
 */
export async function provePeer(socket: Socket, expected: { uid: string; publicKey: string | null }): Promise<string> {
  const nonce = randomBytes(32).toString('base64url');
  const body = JSON.stringify({ nonce });
  socket.write(
    `POST /v1/proof HTTP/1.1\r\nHost: session-agent\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const proof = parseProof(await readResponse(socket));
  if (proof.uid !== expected.uid) throw new PeerError('the peer is another sandbox');
  if (expected.publicKey !== null && proof.publicKey !== expected.publicKey)
    throw new PeerError('the peer has another key');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: proof.publicKey }, format: 'jwk' });
  const signed = Buffer.from(proofText(expected.uid, nonce));
  if (!verify(null, signed, key, Buffer.from(proof.signature, 'base64url')))
    throw new PeerError("the peer's signature is wrong");
  return proof.publicKey;
}

function parseProof(body: string): Proof {
  try {
    return proofSchema.parse(JSON.parse(body));
  } catch (cause) {
    throw new PeerError('the peer gave no proof', { cause });
  }
}

/** Reads exactly one small HTTP response with a Content-Length and leaves the socket as it was before. */
function readResponse(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const settle = (outcome: () => void) => {
      socket.off('readable', onReadable).off('error', onError).off('close', onClose);
      outcome();
    };
    const onError = (cause: Error) => {
      // An attempt that was ended says why.
      const error = cause instanceof PeerError ? cause : new PeerError('the connection failed', { cause });
      settle(() => reject(error));
    };
    const onClose = () => settle(() => reject(new PeerError('the peer closed the connection')));
    const onReadable = () => {
      const chunk: Buffer | null = socket.read();
      if (chunk) received = Buffer.concat([received, chunk]);
      const response = parseResponse(received);
      if (response instanceof Error) settle(() => reject(response));
      else if (response !== null) settle(() => resolve(response));
    };
    socket.on('readable', onReadable).once('error', onError).once('close', onClose);
  });
}

/** The body once it is whole, null before that. */
function parseResponse(bytes: Buffer): string | null | PeerError {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return bytes.length > responseBytesMax ? new PeerError("the peer's answer is too long") : null;
  const head = bytes.subarray(0, headEnd).toString('latin1');
  const length = Number(/^content-length: *(\d{1,4})$/im.exec(head)?.[1] ?? Number.NaN);
  if (!/^HTTP\/1\.1 200 /.test(head) || !(length <= responseBytesMax)) return new PeerError('the peer gave no proof');
  const bodyBytes = bytes.length - headEnd - 4;
  if (bodyBytes < length) return null;
  return bodyBytes > length
    ? new PeerError('the peer said more than it was asked')
    : bytes.subarray(headEnd + 4).toString();
}
