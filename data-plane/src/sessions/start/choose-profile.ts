import { type CodeLanguage, type CreateSession, type Network, Problem } from '@holdfast/specs/public';
import type { Capabilities } from '../../runtimes/runtime.ts';

/** The network class and the profile that a session gets from its runtime. */
export type Offer = { network: Network; profile: string };

type Offering = { name: string; capabilities: Pick<Capabilities, 'networks' | 'profiles'> };
type Wish = Pick<CreateSession, 'network' | 'profile'> & { language: CodeLanguage };

/**
 * Chooses the network class and profile that a session asks for, or else the strongest network class and the first profile that has its
 * language. Pure.
 * @throws Problem 422 that names the choices the runtime has
 */
export function chooseProfile({ name, capabilities }: Offering, { language, network: wish, profile }: Wish): Offer {
  const { networks, profiles } = capabilities;
  const network = wish ?? networks[0];
  if (!network || !networks.includes(network))
    throw refusal('/network', `the ${name} runtime cannot give network "${wish}"; it gives ${networks.join(', ')}`);
  const chosen = profiles.find((offered) =>
    profile ? offered.name === profile : offered.languages.includes(language),
  );
  if (!chosen) {
    const names = profiles.map((offered) => offered.name).join(', ');
    if (profile) throw refusal('/profile', `profile "${profile}" does not exist; the profiles are ${names}`);
    const offers = profiles.map((offered) => `${offered.name} has ${offered.languages.join(', ')}`).join('; ');
    throw refusal('/language', `no profile has ${language}; ${offers}`);
  }
  if (!chosen.languages.includes(language))
    throw refusal('/profile', `profile "${profile}" has ${chosen.languages.join(', ')}, not ${language}`);
  return { network, profile: chosen.name };
}

const refusal = (pointer: string, detail: string) =>
  new Problem('unsupported-by-runtime', { detail, errors: [{ pointer, detail }] });
