import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The minimal interpreter behind a pipe: reads a line of JSON, runs it, and writes a line of JSON. */
const program = `
import ast, contextlib, io, json, sys
names = {}
for line in sys.stdin:
    tree = ast.parse(json.loads(line))
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(tree, '<step>', 'exec'), names)
        value = eval(compile(last, '<step>', 'eval'), names) if last else None
    reply = {'output': output.getvalue(), 'result': None if value is None else repr(value)}
    sys.stdout.write(json.dumps(reply) + '\\n')
    sys.stdout.flush()
`;

export function rawPipe(python: string) {
  const child = spawn(python, ['-c', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async run(code: string): Promise<{ output: string; result: string | null }> {
      child.stdin.write(`${JSON.stringify(code)}\n`);
      return JSON.parse((await lines.next()).value ?? 'null');
    },
    close: () => child.stdin.end(),
  };
}
