import { endToEnd, type Field } from './hop-by-hop.ts';
import { cookiesIn } from './read-credentials.ts';

/** `Alt-Svc` could send later requests of the host to another server, and `Clear-Site-Data` delete the cookies of the whole domain. */
const ours = /^(alt-svc|clear-site-data|holdfast-.*)$/;

/** The headers with which a visitor gets the answer of a server: those that concern its own host alone. Pure. */
export const answerHeaders = (raw: readonly string[], cookieNames: readonly string[]): string[] =>
  endToEnd(raw)
    .flatMap(([name, value]): Field[] => {
      if (name.toLowerCase() === 'set-cookie') return ownCookie(value, cookieNames).map((cookie) => [name, cookie]);
      return ours.test(name.toLowerCase()) ? [] : [[name, value]];
    })
    .flat();

/** A cookie that only the host of this port gets back: one of a domain would be sent to other sessions. */
function ownCookie(value: string, cookieNames: readonly string[]): string[] {
  const [pair = '', ...attributes] = value.split(';');
  const name = (cookiesIn(pair)[0]?.name ?? '').toLowerCase();
  if (cookieNames.some((own) => own.toLowerCase() === name)) return [];
  return [[pair, ...attributes.filter((attribute) => !/^\s*domain\s*(=|$)/i.test(attribute))].join(';')];
}
