import type { Job, Step } from '@holdfast/specs';
import type { Seal } from '../../agent/seal.ts';
import { signUrl } from '../artifacts/sign-url.ts';
import { jobView } from './job-view.ts';

type ViewJobInput = { step: Step; inline: boolean; signedSeconds?: number | undefined };

/** The answer of a job that has ended; with `signedSeconds` its URLs need no API key for so long. */
export async function viewJob(
  { seal }: { seal: Pick<Seal, 'sign'> },
  { step, inline, signedSeconds }: ViewJobInput,
): Promise<Job> {
  const expiresAt = signedSeconds === undefined ? null : new Date(Date.now() + signedSeconds * 1000);
  return jobView(step, { inline, sign: (url) => (expiresAt ? signUrl(seal, url, expiresAt) : url) });
}
