import type { Framing } from './check-request.ts';
import { endToEnd, type Field } from './hop-by-hop.ts';
import { bearerIn, cookiesIn } from './read-credentials.ts';

type Forwarded = Framing & {
  rawHeaders: readonly string[];
  /** The names under which visitors have our cookies. */
  cookieNames: readonly string[];
  /** Whether the bearer in `Authorization` is one of our API keys. */
  isBearerOurs: boolean;
  host: string;
  isSecure: boolean;
  /** The address of the visitor or of the proxy before us. */
  remoteAddress: string | undefined;
};

/** The headers with which a server of a sandbox gets a request: everything that is not ours, and where it came from. Pure. */
export function requestHeaders(request: Forwarded): string[] {
  const { rawHeaders, isUpgrade, hasBody, contentLength, host, isSecure, remoteAddress } = request;
  const kept = endToEnd(rawHeaders).flatMap((field) => own(field, request));
  const via = kept.filter(([name]) => name.toLowerCase() === 'via').map(([, value]) => value);
  const port = /:(\d+)$/.exec(host)?.[1] ?? (isSecure ? '443' : '80');
  return [
    ...kept.filter(([name]) => name.toLowerCase() !== 'via'),
    ...(remoteAddress ? [['X-Forwarded-For', remoteAddress]] : []),
    ['X-Forwarded-Host', host],
    ['X-Forwarded-Port', port],
    ['X-Forwarded-Proto', isSecure ? 'https' : 'http'],
    ['Via', [...via, `1.1 ${host.toLowerCase()}`].join(', ')],
    ['Connection', isUpgrade ? 'Upgrade' : 'close'],
    ...(isUpgrade ? [['Upgrade', 'websocket']] : []),
    ...framing(hasBody, contentLength),
  ].flat();
}

const framing = (hasBody: boolean, contentLength: string | null): Field[] => {
  if (contentLength !== null) return [['Content-Length', contentLength]];
  return hasBody ? [['Transfer-Encoding', 'chunked']] : [];
};

/** Headers that we read or write ourselves. */
const ours = /^(x-api-key|content-length|expect|forwarded|x-forwarded-.*|x-real-ip|holdfast-.*)$/;

function own([name, value]: Field, { cookieNames, isBearerOurs }: Forwarded): Field[] {
  switch (name.toLowerCase()) {
    case 'cookie': {
      const left = cookiesIn(value).filter((cookie) => !cookieNames.includes(cookie.name));
      return left.length > 0 ? [[name, left.map(({ text }) => text).join('; ')]] : [];
    }
    case 'authorization': {
      const bearer = bearerIn(value);
      return bearer !== null && (isBearerOurs || /^hf[sp]?_/.test(bearer)) ? [] : [[name, value]];
    }
    default:
      // To many servers (RFC 3875, 4.1.18), an underscore is a hyphen.
      return ours.test(name.toLowerCase().replaceAll('_', '-')) ? [] : [[name, value]];
  }
}
