import type { PortAccess } from '@holdfast/specs/public';
import type { Seal } from './seal.ts';

/** The open port of a token. All of it is signed, so that a row of the registry cannot give a token more than it was made for. */
type Signed = { id: string; sessionId: string; port: number; access: PortAccess; expiresAt: Date };

const form = /^hfp_([0-9a-hjkmnp-tv-z]{26})_([A-Za-z0-9_-]{43})$/;

/** The token of a link to a port: its id and a signature. The same link always has the same token, so it need not be stored. */
export const portToken = (seal: Pick<Seal, 'sign'>, port: Signed): string =>
  `hfp_${port.id.slice('prt_'.length)}_${seal.sign(signedText(port)).toString('base64url')}`;

/** Whether the token was made for this link. */
export function isPortToken(seal: Pick<Seal, 'verify'>, token: string, port: Signed): boolean {
  const [, id, signature = ''] = form.exec(token) ?? [];
  return `prt_${id}` === port.id && seal.verify(signedText(port), signature);
}

/** No other text that is signed begins like this. */
const signedText = ({ id, sessionId, port, access, expiresAt }: Signed) =>
  ['port', id, sessionId, port, access, expiresAt.toISOString()].join('\n');
