import { expect, test } from 'vitest';
import { parseEngineAddress } from './engine-address.ts';

test('accepts sockets and plain TCP', () => {
  expect(parseEngineAddress('unix:///run/podman/podman.sock')).toEqual({ socketPath: '/run/podman/podman.sock' });
  expect(parseEngineAddress('tcp://socket-proxy:2375')).toEqual({ host: 'socket-proxy', port: 2375, protocol: 'http' });
  expect(parseEngineAddress('tcp://[::1]:2375')).toEqual({ host: '::1', port: 2375, protocol: 'http' });
});

test.each(['ssh://host', 'npipe:////./pipe/docker_engine', 'unix://relative', 'tcp://host', 'tcp://h:0', 'host:1', ''])(
  'rejects %j',
  (value) => {
    expect(parseEngineAddress(value)).toBeNull();
  },
);
