import { expect, test } from 'vitest';
import { sandboxPath } from './sandbox-path.ts';

const agentMain = '/home/ada/holdfast/session-agent/src/main.ts';
const node = '/home/ada/holdfast/node_modules/node/bin/node';

test('the folders that npm adds give way to the folder of Node', () => {
  const path =
    '/home/ada/holdfast/node_modules/.bin:/home/ada/node_modules/.bin:/home/node_modules/.bin:/node_modules/.bin:/usr/bin';
  expect(sandboxPath({ path, node, agentMain })).toBe('/home/ada/holdfast/node_modules/node/bin:/usr/bin');
});

test.each(['/usr/local/bin:/usr/bin', '/home/ada/hold/node_modules/.bin:/usr/bin', '/home/ada/holdfast/bin:/usr/bin'])(
  'the path %s stays',
  (path) => expect(sandboxPath({ path, node, agentMain })).toBe(path),
);
