// Calls an operation from a shell and prints its value as JSON. Exits with 1 if it fails, 2 if it was used wrongly, 3 if the policy forbids it.

import { connect } from 'node:net';
import process from 'node:process';

const usage = `Usage:
  holdfast call NAME [JSON…]     calls an operation; each JSON is an argument, and - reads one from standard input
  holdfast session FIELD [ARG…]  asks about the session: id, status, turn_number, budget_remaining KIND, allowed NAME, …
`;

function fail(code, message) {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}

async function readInput() {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  return text;
}

/** The JSON on one line. Its numbers stay as they are written, for the agent to judge. */
async function checked(text) {
  const json = text === '-' ? await readInput() : text;
  try {
    JSON.parse(json);
    return json.replace(/[\r\n]/g, ' ');
  } catch {
    const quoted = json.length <= 40 && !/["'\\\n]/.test(json) ? json : 'text';
    return fail(
      2,
      `holdfast: this argument is not JSON: ${json.slice(0, 200)}\nWrite a text in double quotes within single ones: '"${quoted}"'`,
    );
  }
}

/** Resolves with the line that answers. `args` are JSON. */
function ask(name, args) {
  const { HOLDFAST_OPERATIONS: path, HOLDFAST_KERNEL: kernel } = process.env;
  if (!path || !kernel) fail(1, 'holdfast: only the code of a running step can call operations');
  return new Promise((resolve) => {
    const socket = connect(path);
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      answer += text;
    });
    socket.on('error', (error) => fail(1, `holdfast: the session cannot be reached: ${error.message}`));
    socket.on('close', () => resolve(answer));
    const call = JSON.stringify({ kernel, name });
    socket.write(`${call.slice(0, -1)},"arguments":[${args.join(',')}]}\n`);
  });
}

/** Resolves with the value as JSON. */
async function call(name, args) {
  const answer = await ask(name, args);
  if (!answer.endsWith('\n')) fail(1, 'holdfast: the call got no answer');
  const { value, error } = JSON.parse(answer);
  if (!error) return JSON.stringify(value);
  if (error.name === 'PolicyViolation') fail(3, `holdfast: ${error.name}: ${error.message}`);
  return fail(1, `holdfast: ${error.name}: ${error.message}`);
}

/** The host has approved them in advance, or is asked. */
async function commitProposals() {
  const committed = await call('session.commit_proposals', []);
  return committed === 'null' ? await call('proposals.commit', []) : committed;
}

const print = (json) => process.stdout.write(`${json}\n`);

const [command, name, ...rest] = process.argv.slice(2);
if (command === 'call' && name) print(await call(name, await Promise.all(rest.map(checked))));
else if (command === 'session' && name === 'commit_proposals') print(await commitProposals());
else if (command === 'session' && name)
  print(
    await call(
      `session.${name}`,
      rest.map((text) => JSON.stringify(text)),
    ),
  );
else fail(2, usage.trimEnd());
