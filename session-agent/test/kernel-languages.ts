import type { Language } from '@holdfast/specs';

/** What the conformance suite needs to know of a language: the same deed, said in its words. */
export type Words = {
  define: string;
  use: string;
  useShown: string;
  silent: string;
  print: (text: string) => string;
  printError: (text: string) => string;
  printInTurns: (first: string, second: string, seconds: number) => string;
  fail: { code: string; name: string; message: string };
  invalid: string;
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
};

const quote = JSON.stringify;

export const languages: Record<Language, Words> = {
  python: {
    define: 'kept = 41',
    use: 'kept + 1',
    useShown: '42',
    silent: 'None',
    print: (text) => `print(${quote(text)})`,
    printError: (text) => `import sys; print(${quote(text)}, file=sys.stderr)`,
    printInTurns: (first, second, seconds) =>
      `import time\nprint(${quote(first)})\ntime.sleep(${seconds})\nprint(${quote(second)})`,
    fail: { code: 'def broken():\n    raise ValueError("no")\nbroken()', name: 'ValueError', message: 'no' },
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
    printInTurns: (first, second, seconds) =>
      `console.log(${quote(first)}); await new Promise((r) => setTimeout(r, ${seconds * 1000})); console.log(${quote(second)})`,
    fail: { code: 'function broken() {\n  throw new TypeError("no")\n}\nbroken()', name: 'TypeError', message: 'no' },
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
};
