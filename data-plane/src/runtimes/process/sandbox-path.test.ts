import { expect, test } from 'vitest';
import { sandboxPath } from './sandbox-path.ts';

const agentMain = '/srv/ada/holdfast/session-agent/src/main.ts';
const node = '/srv/ada/holdfast/node_modules/node/bin/node';

test('the folders that npm adds give way to the folder of Node', () => {
  const path =
    '/srv/ada/holdfast/node_modules/.bin:/srv/ada/node_modules/.bin:/srv/node_modules/.bin:/node_modules/.bin:/usr/bin';
  expect(sandboxPath({ path, node, agentMain })).toBe('/srv/ada/holdfast/node_modules/node/bin:/usr/bin');
});

test.each(['/usr/local/bin:/usr/bin', '/srv/ada/hold/node_modules/.bin:/usr/bin', '/srv/ada/holdfast/bin:/usr/bin'])(
  'the path %s stays',
  (path) => expect(sandboxPath({ path, node, agentMain })).toBe(path),
);
