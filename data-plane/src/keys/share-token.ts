import type { ShareAccess } from '@holdfast/specs/public';
import type { Seal } from './seal.ts';

/** The link of a token. All of it is signed, so that a row of the registry cannot give a token more than it was made for. */
type Signed = { id: string; sessionId: string; access: ShareAccess; expiresAt: Date };

const form = /^hfs_([0-9a-hjkmnp-tv-z]{26})_([A-Za-z0-9_-]{43})$/;

/** The token of a share link: its id and a signature. The same link always has the same token, so it need not be stored. */
export const shareToken = (seal: Pick<Seal, 'sign'>, share: Signed): string =>
  `hfs_${share.id.slice('shr_'.length)}_${seal.sign(signedText(share)).toString('base64url')}`;

/** The id in a token, or null if it is not the token of a share link. The signature is not checked. Pure. */
export function shareIdIn(token: string): string | null {
  const [, body] = form.exec(token) ?? [];
  return body ? `shr_${body}` : null;
}

/** Whether the token was made for this link. */
export const isShareToken = (seal: Pick<Seal, 'verify'>, token: string, share: Signed): boolean =>
  shareIdIn(token) === share.id && seal.verify(signedText(share), form.exec(token)?.[2] ?? '');

/** No signed URL begins like this. */
const signedText = ({ id, sessionId, access, expiresAt }: Signed) =>
  ['share', id, sessionId, access, expiresAt.toISOString()].join('\n');
