import { type CodeLanguage, type CreateSession, type Network, Problem } from '@holdfast/specs/public';
import type { Capabilities } from '../runtimes/runtime.ts';

/** What a session gets of what its runtime offers. */
export type Offer = { network: Network; profile: string };

type Offering = { name: string; capabilities: Pick<Capabilities, 'networks' | 'profiles'> };
type Wish = Pick<CreateSession, 'network' | 'profile'> & { language: CodeLanguage };

/**
 * What it asks for; else the strongest network class there is, and the first profile that has its language. Pure.
 * @throws Problem 422 that names what the runtime has instead.
 */
export function chooseProfile({ name, capabilities }: Offering, { language, network: wish, profile }: Wish): Offer {
  const { networks, profiles } = capabilities;
  const network = wish ?? networks[0];
  if (!network || !networks.includes(network))
    throw refusal('/network', `the ${name} runtime cannot give network "${wish}"; it gives ${networks.join(', ')}`);
  const chosen = profiles.find((offered) =>
    profile ? offered.name === profile : offered.languages.includes(language),
  );
  const names = profiles.map((offered) => offered.name).join(', ');
  if (!chosen) {
    if (profile) throw refusal('/profile', `there is no profile "${profile}"; there is ${names}`);
    throw refusal('/language', `no profile has ${language}; there is ${names}`);
  }
  if (!chosen.languages.includes(language))
    throw refusal('/profile', `profile "${profile}" has ${chosen.languages.join(', ')}, not ${language}`);
  return { network, profile: chosen.name };
}

const refusal = (pointer: string, detail: string) =>
  new Problem('unsupported-by-runtime', { detail, errors: [{ pointer, detail }] });
