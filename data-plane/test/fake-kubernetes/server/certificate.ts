import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A P-256 key and a self-signed certificate for one IPv4 address (RFC 5280), valid for a day, as PEM. */
export function selfSignedCertificate(address: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
  const name = sequence(set(sequence(oid('550403'), tlv(0x0c, Buffer.from('fake-kubernetes')))));
  const hour = 3_600_000;
  const toBeSigned = sequence(
    tlv(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(utcTime(new Date(Date.now() - hour)), utcTime(new Date(Date.now() + 24 * hour))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(basicConstraints, subjectAltName(address))),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, ecdsaWithSha256, tlv(0x03, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

/** One value of DER (X.690): tag, length, contents. */
function tlv(tag: number, ...contents: Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const short = body.length < 0x80;
  const length = short ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...contents: Buffer[]) => tlv(0x30, ...contents);
const set = (...contents: Buffer[]) => tlv(0x31, ...contents);
const oid = (hex: string) => tlv(0x06, Buffer.from(hex, 'hex'));
const integer = (bytes: Buffer) => tlv(0x02, bytes);
const utcTime = (date: Date) => tlv(0x17, Buffer.from(`${date.toISOString().replace(/^..|[-T:]|\..*/g, '')}Z`));
const extension = (id: string, ...contents: Buffer[]) => sequence(oid(id), ...contents);

const basicConstraints = extension(
  '551d13',
  tlv(0x01, Buffer.from([0xff])),
  tlv(0x04, sequence(tlv(0x01, Buffer.from([0xff])))),
);

const subjectAltName = (address: string) =>
  extension('551d11', tlv(0x04, sequence(tlv(0x87, Buffer.from(address.split('.').map(Number))))));
