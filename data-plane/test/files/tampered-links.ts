import { expect } from 'vitest';

/** Signed URLs of one file, to read and to write it, the session it is in, and another one, in which there is a file `other`, too. */
type Links = { read: string; write: string; sessionId: string; otherId: string; origin: string };
type Tampering = [name: string, method: string, target: (links: Links) => string];

/** Requests that no signature is for. */
export const tamperings: Tampering[] = [
  ['the method PUT of a link to read', 'PUT', ({ read }) => read],
  ['the method DELETE of a link to read', 'DELETE', ({ read }) => read],
  ['the method DELETE of a link to write', 'DELETE', ({ write }) => write],
  ['the method GET of a link to write', 'GET', ({ write }) => write],
  ['the method HEAD of a link to write', 'HEAD', ({ write }) => write],
  ['another operation', 'PUT', ({ read }) => inPath('operation=read', 'operation=write')(read)],
  ['another operation with its method', 'GET', ({ write }) => inPath('operation=write', 'operation=read')(write)],
  ['no operation', 'GET', ({ read }) => inPath('operation=read&', '')(read)],
  ['another path', 'GET', ({ read }) => inPath('a%20b/%C3%A9.txt', 'other')(read)],
  ['a longer path', 'GET', ({ read }) => inPath('.txt?', '.txt/x?')(read)],
  ['the directory above', 'GET', ({ read }) => inPath('a%20b/%C3%A9.txt', 'a%20b')(read)],
  ['a step up', 'GET', ({ read }) => inPath('%C3%A9.txt', '%C3%A9.txt/../../other')(read)],
  ['an encoded step up', 'GET', ({ read }) => inPath('%C3%A9.txt', '%C3%A9.txt/%2e%2e/%2e%2e/other')(read)],
  ['a name that is encoded twice', 'GET', ({ read }) => inPath('%C3%A9', '%25C3%25A9')(read)],
  ['an absolute path', 'GET', ({ read }) => inPath('a%20b/%C3%A9.txt', '%2Fetc%2Fpasswd')(read)],
  ['an absolute path outside', 'GET', ({ read }) => inPath('a%20b/%C3%A9.txt', '/tmp/x')(read)],
  ['another session', 'GET', ({ read, sessionId, otherId }) => inPath(sessionId, otherId)(read)],
  ['an unknown session', 'GET', ({ read, sessionId }) => inPath(sessionId, 'ses_01kaf3xq5t7e8m9n0p1r2s3t4v')(read)],
  ['a later expiry', 'GET', ({ read }) => read.replace(/expires=(\d+)/, (_, at) => `expires=${Number(at) + 1}`)],
  ['an expiry with a digit in front', 'GET', ({ read }) => read.replace(/expires=/, 'expires=9')],
  ['an operation that is given twice', 'PUT', ({ read }) => `${read}&operation=write`],
  ['an operation that is given twice, the other first', 'PUT', ({ read }) => read.replace('?', '?operation=write&')],
  ['an expiry that is given twice', 'GET', ({ read }) => `${read}&expires=9999999999`],
  ['a signature that is given twice', 'GET', ({ read }) => `${read}&signature=AAAA`],
  ['an encoded name of a parameter', 'PUT', ({ read }) => `${read}&%6fperation=write`],
  ['a further parameter', 'GET', ({ read }) => `${read}&path=other`],
  ['only an empty expiry', 'GET', ({ read }) => `${read.split('?')[0]}?expires=`],
  ['an endless expiry', 'GET', ({ read }) => read.replace(/expires=\d+/, 'expires=Infinity')],
  ['a negative expiry', 'GET', ({ read }) => read.replace(/expires=/, 'expires=-')],
  [
    'a step up that is encoded twice',
    'GET',
    ({ read }) => inPath('%C3%A9.txt', '%C3%A9.txt/%252e%252e/%252e%252e/other')(read),
  ],
  ['a step up with encoded slashes', 'GET', ({ read }) => inPath('a%20b/%C3%A9.txt', 'a%20b%2f..%2fother')(read)],
  [
    'a step up in an absolute path',
    'GET',
    ({ read }) => inPath('a%20b/%C3%A9.txt', '%2Fworkspace%2fa%20b%2f%2e%2e%2fother')(read),
  ],
  ['a step up by a backslash', 'GET', ({ read }) => inPath('%C3%A9.txt', '%C3%A9.txt/..\\\\..\\\\other')(read)],
  ['a path that ends at a NUL', 'GET', ({ read }) => inPath('.txt?', '.txt%00?')(read)],
  ['a path that is encoded with too many bytes', 'GET', ({ read }) => inPath('%C3%A9.txt', '%c0%ae%c0%ae/other')(read)],
  [
    'a session after a step up',
    'GET',
    ({ read, sessionId, otherId }) => inPath(sessionId, `${otherId}/../${sessionId}`)(read),
  ],
  [
    'the path of the other session in an absolute target',
    'GET',
    ({ read, sessionId, otherId, origin }) => origin + inPath(sessionId, otherId)(read),
  ],
  ['no expiry', 'GET', ({ read }) => read.replace(/expires=\d+&/, '')],
  ['no signature', 'GET', ({ read }) => read.replace(/&signature=.*/, '')],
  ['an empty signature', 'GET', ({ read }) => read.replace(/signature=.*/, 'signature=')],
  ['a shorter signature', 'GET', ({ read }) => read.slice(0, -1)],
  ['a longer signature', 'GET', ({ read }) => `${read}A`],
  ['another signature', 'GET', ({ read }) => read.replace(/signature=.../, 'signature=AAA')],
  [
    'the signature of the link to write',
    'GET',
    ({ read, write }) => read.replace(/expires=.*/, /expires=.*/.exec(write)?.[0] ?? ''),
  ],
  ['without the key that signed it', 'GET', ({ read }) => read.replace(/key=\w+&/, '')],
  ['another key', 'GET', ({ read }) => read.replace(/key=\w+/, 'key=key_01kaf3xq5t7e8m9n0p1r2s3t4v')],
  ['the list of files', 'GET', ({ read, sessionId }) => `/v1/sessions/${sessionId}/files?${read.split('?')[1]}`],
  ['the archive', 'GET', ({ read, sessionId }) => `/v1/sessions/${sessionId}/archive?${read.split('?')[1]}`],
  ['stat', 'GET', ({ read, sessionId }) => `/v1/sessions/${sessionId}/stat?path=other&${read.split('?')[1]}`],
  ['the session', 'GET', ({ read, sessionId }) => `/v1/sessions/${sessionId}?${read.split('?')[1]}`],
];

const inPath = (from: string, to: string) => (url: string) => {
  const changed = url.replace(from, to);
  expect(changed).not.toBe(url);
  return changed;
};
