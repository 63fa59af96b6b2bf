import type { Job, Step } from '@holdfast/specs/public';
import type { Seal } from '../keys/seal.ts';
import { signUrl } from '../keys/sign-url.ts';
import { jobView } from './job-view.ts';

type SignJobInput = { step: Step; inline: boolean; signedSeconds?: number | undefined };

/** The answer of a job that has ended; with `signedSeconds` its URLs need no API key for so long. */
export async function signJob(
  { seal }: { seal: Pick<Seal, 'sign'> },
  { step, inline, signedSeconds }: SignJobInput,
): Promise<Job> {
  const expiresAt = signedSeconds === undefined ? null : new Date(Date.now() + signedSeconds * 1000);
  return jobView(step, { inline, sign: (url) => (expiresAt ? signUrl(seal, url, expiresAt) : url) });
}
