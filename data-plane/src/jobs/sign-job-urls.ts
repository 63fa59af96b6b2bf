import type { Step } from '@holdfast/specs/public';
import type { Seal } from '../keys/seal.ts';
import { signUrl } from '../keys/sign-url.ts';
import type { Caller } from '../sessions/caller.ts';
import type { OpenedStep } from '../steps/long-step.ts';
import { type JobAnswer, jobView } from './job-view.ts';

type SignJobUrlsInput = {
  caller: Caller;
  step: Step | OpenedStep;
  inline: boolean;
  signedSeconds?: number | undefined;
};

/** The public job, which has ended. With `signedSeconds`, its URLs need no API key for that time. */
export async function signJobUrls(
  { seal }: { seal: Pick<Seal, 'sign'> },
  { caller, step, inline, signedSeconds }: SignJobUrlsInput,
): Promise<JobAnswer> {
  const expiresAt = signedSeconds === undefined ? null : new Date(Date.now() + signedSeconds * 1000);
  return jobView(step, {
    inline,
    sign: (url) => (expiresAt ? signUrl(seal, url, { expiresAt, keyId: caller.keyId }) : url),
  });
}
