export const raw = (lines: string[], body = '') => `${lines.join('\r\n')}\r\n\r\n${body}`;

type RawRow = [name: string, bytes: () => string, status: number];

/**
 * Requests that two parsers could read differently, or that name a server in more than one way, each with the status of its refusal.
 * @param name the host name of a port
 */
export function smuggledRequests(name: () => string, apiKey: string): RawRow[] {
  const host = () => `Host: ${name()}`;
  const key = `X-API-Key: ${apiKey}`;
  const second = () => raw(['GET /smuggled HTTP/1.1', host(), key, 'Connection: close']);
  return [
    [
      'a length and an encoding',
      () =>
        raw(
          ['POST / HTTP/1.1', host(), key, 'Content-Length: 4', 'Transfer-Encoding: chunked'],
          `0\r\n\r\n${second()}`,
        ),
      400,
    ],
    [
      'an encoding and a length',
      () =>
        raw(
          ['POST / HTTP/1.1', host(), key, 'Transfer-Encoding: chunked', 'Content-Length: 4'],
          `0\r\n\r\n${second()}`,
        ),
      400,
    ],
    [
      'two lengths',
      () => raw(['POST / HTTP/1.1', host(), key, 'Content-Length: 0', 'Content-Length: 44'], second()),
      400,
    ],
    ['a list of lengths', () => raw(['POST / HTTP/1.1', host(), key, 'Content-Length: 0, 0'], second()), 400],
    ['a negative length', () => raw(['POST / HTTP/1.1', host(), key, 'Content-Length: -1'], second()), 400],
    ['a hexadecimal length', () => raw(['POST / HTTP/1.1', host(), key, 'Content-Length: 0x10'], second()), 400],
    [
      'two encodings',
      () => raw(['POST / HTTP/1.1', host(), key, 'Transfer-Encoding: gzip, chunked'], `0\r\n\r\n${second()}`),
      400,
    ],
    [
      'an encoding that hides behind another',
      () => raw(['POST / HTTP/1.1', host(), key, 'Transfer-Encoding: chunked, identity'], `0\r\n\r\n${second()}`),
      400,
    ],
    [
      'two headers of encodings',
      () =>
        raw(
          ['POST / HTTP/1.1', host(), key, 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
          `0\r\n\r\n${second()}`,
        ),
      400,
    ],
    [
      'an encoding of another case',
      () => raw(['POST / HTTP/1.1', host(), key, 'Transfer-Encoding: xchunked'], `0\r\n\r\n${second()}`),
      400,
    ],
    [
      'a space before the colon',
      () => raw(['POST / HTTP/1.1', host(), key, 'Transfer-Encoding : chunked'], `0\r\n\r\n${second()}`),
      400,
    ],
    ['a folded header', () => raw(['GET / HTTP/1.1', host(), key, 'X-A: 1', ' folded: 2']), 400],
    ['a bare line feed', () => `GET / HTTP/1.1\n${host()}\n${key}\n\n`, 400],
    ['a NUL in a header', () => raw(['GET / HTTP/1.1', host(), key, 'X-A: a\0b']), 400],
    ['a name that is none', () => raw(['GET / HTTP/1.1', host(), key, 'X A: b']), 400],
    [
      'a chunk size that is none',
      () => raw(['POST / HTTP/1.1', host(), key, 'Transfer-Encoding: chunked'], `x\r\n${second()}`),
      400,
    ],
    ['two hosts', () => raw(['GET / HTTP/1.1', host(), 'Host: localhost', key]), 400],
    ['two keys', () => raw(['GET / HTTP/1.1', host(), key, 'X-API-Key: other']), 400],
    [
      'two authorizations',
      () => raw(['GET / HTTP/1.1', host(), key, 'Authorization: Basic YQ==', 'Authorization: Basic Yg==']),
      400,
    ],
    ['an address of another host', () => raw(['GET http://localhost/v1/sessions HTTP/1.1', host(), key]), 400],
    ['a name and no path', () => raw([`GET ${name()} HTTP/1.1`, host(), key]), 400],
    ['an empty name', () => raw(['GET / HTTP/1.1', 'Host:', key]), 400],
    ['a name with two ports', () => raw(['GET / HTTP/1.1', `${host()}:1:2`, key]), 400],
    ['no name', () => raw(['GET / HTTP/1.1', key]), 400],
    ['its name behind another', () => raw(['GET / HTTP/1.1', `Host: localhost, ${name()}`, key]), 404],
    ['a name that is folded', () => raw(['GET / HTTP/1.1', `Host: localhost\r\n ${name()}`, key]), 400],
    [
      'its name in another header',
      () => raw(['GET / HTTP/1.1', 'Host: localhost', `X-Forwarded-Host: ${name()}`]),
      404,
    ],
    ['its name in an address alone', () => raw([`GET http://${name()}/ HTTP/1.1`, 'Host: localhost']), 404],
    ['a carriage return in a header', () => raw(['GET / HTTP/1.1', host(), key, 'X-A: a\rX-B: b']), 400],
    [
      'an encoding with a tab',
      () => raw(['POST / HTTP/1.1', host(), key, 'Transfer-Encoding:\tchunked\t,identity'], '0\r\n\r\n'),
      400,
    ],
    ['a length with a plus', () => raw(['POST / HTTP/1.1', host(), key, 'Content-Length: +4'], 'body'), 400],
    [
      'a length that is too long',
      () => raw(['POST / HTTP/1.1', host(), key, 'Content-Length: 99999999999999999999'], 'body'),
      400,
    ],
    ['an unknown version', () => raw(['GET / HTTP/3.1', host(), key]), 400],
    ['a method that is none', () => raw(['G@T / HTTP/1.1', host(), key]), 400],
    [
      'two upgrades',
      () => raw(['GET / HTTP/1.1', host(), key, 'Connection: Upgrade', 'Upgrade: websocket', 'Upgrade: h2c']),
      400,
    ],
    ['a wait that is no number', () => raw(['GET / HTTP/1.1', host(), key, 'Holdfast-Wait-Seconds: soon']), 400],
    ['an address of its own', () => raw([`GET http://${name()}/ HTTP/1.1`, host(), key]), 400],
    ['a target that is no path', () => raw(['OPTIONS * HTTP/1.1', host(), key]), 400],
    ['the method TRACE', () => raw(['TRACE / HTTP/1.1', host(), key]), 405],
    [
      'an upgrade with a length',
      () =>
        raw(['GET / HTTP/1.1', host(), key, 'Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 4'], 'body'),
      400,
    ],
    [
      'an upgrade with an empty body',
      () => raw(['GET / HTTP/1.1', host(), key, 'Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 0']),
      400,
    ],
    [
      'an upgrade with a chunked body',
      () =>
        raw(
          ['GET / HTTP/1.1', host(), key, 'Connection: Upgrade', 'Upgrade: websocket', 'Transfer-Encoding: chunked'],
          '0\r\n\r\n',
        ),
      400,
    ],
    [
      'an upgrade by POST',
      () => raw(['POST / HTTP/1.1', host(), key, 'Connection: Upgrade', 'Upgrade: websocket']),
      400,
    ],
    ['a request that has come through before', () => raw(['GET / HTTP/1.1', host(), key, `Via: 1.1 ${name()}`]), 400],
    ['an endless wait', () => raw(['GET / HTTP/1.1', host(), key, 'Holdfast-Wait-Seconds: 3600']), 400],
  ];
}
