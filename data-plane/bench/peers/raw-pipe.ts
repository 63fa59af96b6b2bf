import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Stage } from '../stage/stage.ts';
import type { Peer } from './peer.ts';

/** The minimal interpreter behind a pipe: reads a line of JSON, runs it, and writes a line of JSON. */
const program = `
import ast, contextlib, io, json, sys
names = {}
for line in sys.stdin:
    tree = ast.parse(json.loads(line))
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    output, value, error = io.StringIO(), None, None
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(tree, '<step>', 'exec'), names)
            value = eval(compile(last, '<step>', 'eval'), names) if last else None
    except Exception as raised:
        error = type(raised).__name__
    reply = {'output': output.getvalue(), 'result': None if value is None else repr(value), 'error': error}
    sys.stdout.write(json.dumps(reply) + '\\n')
    sys.stdout.flush()
`;

/** A Python behind a pipe, in this process and without HTTP. */
export function startRawPipe({ python, defer }: Pick<Stage, 'python' | 'defer'>): Peer {
  const child = spawn(python, ['-c', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  defer(async () => {
    child.stdin.end();
    await once(child, 'exit');
  });
  return {
    name: 'raw pipe',
    canRun: ({ language }) => language === 'python',
    async run({ code }) {
      child.stdin.write(`${JSON.stringify(code)}\n`);
      return JSON.parse((await lines.next()).value ?? 'null');
    },
  };
}
