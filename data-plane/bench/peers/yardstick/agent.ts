/**
 * The leanest agent that could serve: one HTTP server and one Python behind two pipes. Nothing is checked, and prints go nowhere.
 * The environment names the interpreter in YARDSTICK_PYTHON. Prints its port.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable, Writable } from 'node:stream';

const kernel = `
import ast, json, os
requests, replies = os.fdopen(3, 'rb', buffering=65536), os.fdopen(4, 'wb', buffering=0)
names = {}
for line in requests:
    tree, value = ast.parse(json.loads(line)), None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
        exec(compile(tree, '<step>', 'exec'), names)
        value = repr(eval(compile(last, '<step>', 'eval'), names))
    else:
        exec(compile(tree, '<step>', 'exec'), names)
    replies.write(json.dumps({'r': value}).encode() + b'\\n')
`;

const python = spawn(process.env.YARDSTICK_PYTHON ?? 'python3', ['-u', '-c', kernel], {
  stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'],
});
const requests = python.stdio[3] as Writable;
const replies = python.stdio[4] as Readable;

const waiting: ((line: string) => void)[] = [];
let rest = '';
replies.on('data', (chunk) => {
  rest += chunk;
  for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
    waiting.shift()?.(rest.slice(0, end));
    rest = rest.slice(end + 1);
  }
});

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    waiting.push((line) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': line.length });
      response.end(line);
    });
    requests.write(`${JSON.stringify(JSON.parse(body).code)}\n`);
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

const end = () => {
  python.kill();
  process.exit();
};
process.on('SIGTERM', end);
process.stdin.on('end', end).resume();
