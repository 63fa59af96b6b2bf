import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BuiltInLanguage } from '@holdfast/specs/public';
import { jupyterLanguages } from './jupyter-languages.ts';
import { jupyterPath } from './jupyter-path.ts';

type Lack =
  | 'values'
  | 'mainValue'
  | 'tracebacks'
  | 'sources'
  | 'topLevelAwait'
  | 'threads'
  | 'interruptedChildren'
  | 'promptChildren'
  | 'descriptors'
  | 'agentChannel'
  | 'symbols'
  | 'manyMessages'
  | 'exit';

/** A language in the conformance suite: the same actions in its own code. */
export type Words = {
  /** The reason why the language lacks a feature. The suite then skips the tests of that feature. */
  lacks?: Partial<Record<Lack, string>>;
  define: string;
  use: string;
  useShown: string;
  silent: string;
  print: (text: string) => string;
  printError: (text: string) => string;
  /** Prints, waits for a file to exist, and prints again. */
  printAround: (first: string, file: string, second: string) => string;
  fail: { code: string; again: string; name: string; message: string };
  invalid: string;
  /** The name of its error; `SyntaxError` by default. */
  invalidName?: string;
  awaitValue: string;
  busyLoop: string;
  wait: string;
  exit: (code: number) => string;
  killItself: (signal: number) => string;
  printMuch: (bytes: number) => string;
  printLines: (count: number) => string;
  printLater: (text: string, seconds: number) => string;
  shell: (command: string) => string;
  detach: (command: string) => string;
  closeStdout: string;
  replaceStdout: string;
  sendRaw: (hex: string) => string;
  /** Variables that its own start adds to the environment. */
  ownVariables?: RegExp;
};

const quote = JSON.stringify;

const builtIn: Record<BuiltInLanguage, Words> = {
  python: {
    define: 'kept = 41',
    use: 'kept + 1',
    useShown: '42',
    silent: 'None',
    print: (text) => `print(${quote(text)})`,
    printError: (text) => `import sys; print(${quote(text)}, file=sys.stderr)`,
    printAround: (first, file, second) =>
      `import os, time\nprint(${quote(first)})\nwhile not os.path.exists(${quote(file)}): time.sleep(0.005)\nprint(${quote(second)})`,
    fail: {
      code: 'def broken():\n    raise ValueError("no")\nbroken()',
      again: 'broken()',
      name: 'ValueError',
      message: 'no',
    },
    invalid: '1 +',
    awaitValue: 'import asyncio\nawait asyncio.sleep(0.01)\n7',
    busyLoop: 'while True: pass',
    wait: 'import time; time.sleep(60)',
    exit: (code) => `import sys; print("last words"); sys.exit(${code})`,
    killItself: (signal) => `import os; print("last words", flush=True); os.kill(os.getpid(), ${signal})`,
    printMuch: (bytes) => `print("é" * ${bytes / 2}, end="")`,
    printLines: (count) => `for i in range(${count}): print(i)`,
    printLater: (text, seconds) =>
      `import threading, time\ndef later():\n    time.sleep(${seconds}); print(${quote(text)})\nthreading.Thread(target=later).start()`,
    shell: (command) => `import subprocess; subprocess.run(["sh", "-c", ${quote(command)}])`,
    detach: (command) =>
      `import subprocess; subprocess.Popen(["sh", "-c", ${quote(command)}], start_new_session=True).pid`,
    closeStdout: 'import os; os.close(1)',
    replaceStdout: 'import os; os.dup2(os.open("/dev/null", os.O_WRONLY), 1)',
    sendRaw: (hex) => `import os, time; os.write(3, bytes.fromhex(${quote(hex)})); time.sleep(60)`,
  },
  node: {
    define: 'const kept = 41',
    use: 'kept + 1',
    useShown: '42',
    silent: 'undefined',
    print: (text) => `console.log(${quote(text)})`,
    printError: (text) => `console.error(${quote(text)})`,
    printAround: (first, file, second) =>
      `console.log(${quote(first)}); while (!require("fs").existsSync(${quote(file)})) await new Promise((r) => setTimeout(r, 5)); console.log(${quote(second)})`,
    fail: {
      code: 'function broken() {\n  throw new TypeError("no")\n}\nbroken()',
      again: 'broken()',
      name: 'TypeError',
      message: 'no',
    },
    invalid: '1 +',
    awaitValue: 'await new Promise((r) => setTimeout(r, 10)); 7',
    busyLoop: 'for (;;) {}',
    wait: 'await new Promise(() => {})',
    exit: (code) => `console.log("last words"); process.exit(${code})`,
    killItself: (signal) => `console.log("last words"); process.kill(process.pid, ${signal}); for (;;) {}`,
    printMuch: (bytes) => `process.stdout.write("é".repeat(${bytes / 2})); undefined`,
    printLines: (count) => `for (let i = 0; i < ${count}; i++) console.log(i)`,
    printLater: (text, seconds) => `setTimeout(() => console.log(${quote(text)}), ${seconds * 1000}); undefined`,
    shell: (command) => `require("child_process").execSync(${quote(command)}, { stdio: "inherit" }); undefined`,
    detach: (command) =>
      `require("child_process").spawn("sh", ["-c", ${quote(command)}], { detached: true, stdio: "inherit" }).pid`,
    closeStdout: 'require("fs").closeSync(1)',
    replaceStdout: 'require("fs").closeSync(1); require("fs").openSync("/dev/null", "w"); undefined',
    sendRaw: (hex) => `require("fs").writeSync(3, Buffer.from(${quote(hex)}, "hex")); for (;;) {}`,
  },
  bash: {
    lacks: {
      values: 'a command has an exit status, and its output',
      tracebacks: 'the shell keeps no record of where a command has failed',
      topLevelAwait: 'it has no promises',
    },
    define: 'kept=41',
    use: 'echo $((kept + 1))',
    useShown: '42',
    silent: ':',
    print: (text) => `echo ${quote(text)}`,
    printError: (text) => `echo ${quote(text)} >&2`,
    printAround: (first, file, second) =>
      `echo ${quote(first)}\nuntil [ -e ${quote(file)} ]; do sleep 0.005; done\necho ${quote(second)}`,
    fail: { code: 'broken() { return 3; }\nbroken', again: 'broken', name: 'ExitStatus', message: 'exit status 3' },
    invalid: 'if true; then',
    awaitValue: ':',
    busyLoop: 'while :; do :; done',
    wait: 'sleep 60',
    exit: (code) => `echo last words; exit ${code}`,
    killItself: (signal) => `echo last words; kill -${signal} $$`,
    printMuch: (bytes) =>
      `printf 'é%.0s' {1..1000} >/tmp/holdfast-test-$$; for ((i = 0; i < ${bytes / 2000}; i++)); do printf %s "$(</tmp/holdfast-test-$$)"; done; rm /tmp/holdfast-test-$$`,
    printLines: (count) => `for ((i = 0; i < ${count}; i++)); do echo $i; done`,
    printLater: (text, seconds) => `(sleep ${seconds}; echo ${quote(text)}) &`,
    shell: (command) => `sh -c ${shellQuote(command)}`,
    detach: (command) => `setsid sh -c ${shellQuote(command)} & echo $!`,
    closeStdout: 'exec 1>&-',
    replaceStdout: 'exec >/dev/null',
    sendRaw: (hex) => `printf '${hex.replace(/../g, '\\x$&')}\\n' >&60; sleep 60`,
  },
  ruby: {
    lacks: { topLevelAwait: 'it has no promises' },
    define: 'kept = 41',
    use: 'kept + 1',
    useShown: '42',
    silent: 'nil',
    print: (text) => `puts ${quote(text)}`,
    printError: (text) => `warn ${quote(text)}`,
    printAround: (first, file, second) =>
      `puts ${quote(first)}; sleep 0.005 until File.exist?(${quote(file)}); puts ${quote(second)}`,
    fail: {
      code: 'def broken\n  raise ArgumentError, "no"\nend\nbroken',
      again: 'broken',
      name: 'ArgumentError',
      message: 'no',
    },
    invalid: '1 +',
    awaitValue: '7',
    busyLoop: 'loop {}',
    wait: 'sleep 60',
    exit: (code) => `puts "last words"; exit ${code}`,
    killItself: (signal) => `puts "last words"; Process.kill(${signal}, $$); sleep`,
    printMuch: (bytes) => `print "é" * ${bytes / 2}`,
    printLines: (count) => `${count}.times { |i| puts i }; nil`,
    printLater: (text, seconds) => `Thread.new { sleep ${seconds}; puts ${quote(text)} }; nil`,
    shell: (command) => `system("sh", "-c", ${quote(command)}); nil`,
    detach: (command) => `spawn("sh", "-c", ${quote(command)}, pgroup: true)`,
    closeStdout: 'STDOUT.close',
    replaceStdout: 'STDOUT.reopen("/dev/null"); nil',
    sendRaw: (hex) => `IO.for_fd(3, autoclose: false).syswrite([${quote(hex)}].pack("H*")); sleep`,
  },
};

export type TestedLanguage = keyof typeof languages;

export const languages = { ...builtIn, ...jupyterLanguages };

/** Null if the language's interpreter is installed, else the reason for skipping its tests. */
export function missing(language: string): string | null {
  if (language === 'ir') return hasKernelspec('ir') ? null : 'this machine has no IRkernel';
  if (language === 'calysto_scheme') return hasKernelspec(language) ? null : 'this machine has no calysto_scheme';
  if (language !== 'ruby') return null;
  const folders = (process.env.PATH ?? '').split(':');
  return folders.some((folder) => existsSync(join(folder, 'ruby'))) ? null : 'this machine has no ruby';
}

const hasKernelspec = (name: string) =>
  [...jupyterPath, '/usr/share/jupyter'].some((folder) => existsSync(join(folder, 'kernels', name, 'kernel.json')));

const shellQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
