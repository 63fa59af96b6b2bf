import { Problem, type ProfileLanguages } from '@holdfast/specs/public';
import type { Runtime } from '../runtimes/runtime.ts';
import { describeLanguage } from './describe-language.ts';

/**
 * The languages of a profile, or of the first one. A sandbox that runs may have others: see `listSessionLanguages`.
 * @throws Problem 404 if there is no such profile
 */
export async function listProfileLanguages(
  { runtime }: { runtime: Pick<Runtime, 'capabilities'> },
  { profile }: { profile: string | undefined },
): Promise<ProfileLanguages> {
  const { profiles } = runtime.capabilities;
  const found = profile ? profiles.find(({ name }) => name === profile) : profiles[0];
  if (!found) {
    const names = profiles.map(({ name }) => name).join(', ');
    throw new Problem('not-found', { detail: `profile "${profile}" does not exist; the profiles are ${names}` });
  }
  return { profile: found.name, languages: found.languages.map(describeLanguage) };
}
