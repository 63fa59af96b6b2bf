import type { JobLanguage } from '@holdfast/specs/public';

type Programs = {
  /** Writes `out` and `err`, and ends with 3. */
  exits: string;
  /** Kills itself with SIGKILL. */
  dies: string;
  /** Would take a minute. */
  sleeps: string;
  /** Says what it is given, `stdin|args|$COLOR|in.txt`, and writes `made.txt`. */
  echoes: string;
  /** Says `first` at once, and waits for a file `go` before it ends. */
  waits: string;
};

const javascript: Programs = {
  exits: 'console.log("out"); console.error("err"); process.exit(3)',
  dies: 'process.kill(process.pid, "SIGKILL"); setTimeout(() => {}, 60_000)',
  sleeps: 'setTimeout(() => {}, 60_000)',
  echoes: `const { readFileSync, writeFileSync } = require("node:fs");
const given = [readFileSync(0, "utf8"), process.argv.slice(2).join(), process.env.COLOR, readFileSync("in.txt", "utf8")];
process.stdout.write(given.join("|"));
writeFileSync("made.txt", "made");`,
  waits: `const { existsSync } = require("node:fs");
console.log("first");
const timer = setInterval(() => existsSync("go") && clearInterval(timer), 20);`,
};

/** The same programs in every language of jobs. */
export const jobPrograms: Record<JobLanguage, Programs> = {
  node: javascript,
  bun: javascript,
  python: {
    exits: 'import sys\nprint("out")\nprint("err", file=sys.stderr)\nsys.exit(3)',
    dies: 'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)',
    sleeps: 'import time\ntime.sleep(60)',
    echoes: `import os, sys
print(sys.stdin.read(), ",".join(sys.argv[1:]), os.environ["COLOR"], open("in.txt").read(), sep="|", end="")
open("made.txt", "w").write("made")`,
    waits: 'import os, time\nprint("first", flush=True)\nwhile not os.path.exists("go"): time.sleep(0.02)',
  },
  bash: {
    exits: 'echo out; echo err >&2; exit 3',
    dies: 'kill -KILL $$',
    sleeps: 'sleep 60',
    echoes: 'IFS=,; printf "%s|%s|%s|%s" "$(cat)" "$*" "$COLOR" "$(cat in.txt)"; printf made > made.txt',
    waits: 'echo first; until [ -e go ]; do sleep 0.02; done',
  },
};
