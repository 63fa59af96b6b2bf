import type { Words } from './kernel-languages.ts';

const quote = JSON.stringify;

/** The limits of every Jupyter kernel behind the adapter; see ../../src/languages/jupyter/README.md. */
const foreign = {
  topLevelAwait: 'it has no promises',
  descriptors: 'the adapter cannot restore the descriptors of another process',
  agentChannel: 'the kernel has no descriptor of the agent',
  exit: 'its kernel asks for its end without an exit code',
  symbols: "Jupyter's protocol has no question about names",
} as const;

/** This kernel passes on what programs write a fifth of a second later, if it still lives. */
const schemeLastWords =
  '(import "os") (import "time") (define unused (os.system "echo last words")) (define waited (time.sleep 1))';

/** The kernels of others that the conformance suite runs. */
export const jupyterLanguages: Record<'ir' | 'calysto_scheme', Words> = {
  ir: {
    lacks: {
      ...foreign,
      mainValue: 'IRkernel displays every visible value, and marks none as the last one',
      tracebacks: 'a function has no name for the step that defined it',
      sources: 'a function has no name for the step that defined it',
      interruptedChildren: 'system() returns the status of the stopped program, and the step goes on',
    },
    define: 'kept <- 41',
    use: 'kept + 1',
    useShown: '[1] 42',
    silent: 'invisible(NULL)',
    print: (text) => `cat(${quote(text)}, "\\n", sep = "")`,
    printError: (text) => `cat(${quote(text)}, "\\n", sep = "", file = stderr())`,
    printAround: (first, file, second) =>
      `cat(${quote(`${first}\n`)})\nwhile (!file.exists(${quote(file)})) Sys.sleep(0.005)\ncat(${quote(`${second}\n`)})`,
    fail: {
      code: 'broken <- function() {\n  stop("no")\n}\nbroken()',
      again: 'broken()',
      name: 'ERROR',
      message: 'Error in broken(): no\n',
    },
    invalid: '1 +',
    invalidName: 'ERROR',
    awaitValue: '7',
    busyLoop: 'while (TRUE) {}',
    wait: 'Sys.sleep(60)',
    exit: (code) => `cat("last words\\n"); .Internal(quit("no", ${code}, FALSE))`,
    killItself: (signal) => `system("echo last words"); tools::pskill(Sys.getpid(), ${signal}); Sys.sleep(60)`,
    printMuch: (bytes) => `cat(strrep("é", ${bytes / 2}))`,
    printLines: (count) => `for (i in 0:${count - 1}) cat(i, "\\n", sep = "")`,
    printLater: (text, seconds) => `system(${quote(`(sleep ${seconds}; echo ${text}) &`)})`,
    shell: (command) => `invisible(system(${quote(command)}))`,
    detach: (command) =>
      `IRdisplay::publish_mimebundle(list("text/plain" = system(${quote(`setsid sh -c ${shellQuote(command)} >/dev/null 2>&1 & echo $!`)}, intern = TRUE)))`,
    closeStdout: '',
    replaceStdout: '',
    sendRaw: () => '',
    ownVariables: /^_?R_|^(EDITOR|LD_LIBRARY_PATH|LN_S|MAKE|PAGER|SED|TAR)$/,
  },
  calysto_scheme: {
    lacks: {
      ...foreign,
      promptChildren: 'a thread of its own reads what children write, perhaps after the end of the step',
      manyMessages: 'it sends each write as a message, and ZeroMQ drops messages if a thousand wait to be read',
      tracebacks: 'its tracebacks name the steps by numbers of their own',
      sources: 'its tracebacks name the steps by numbers of their own',
    },
    define: '(define kept 41)',
    use: '(+ kept 1)',
    useShown: '42',
    silent: '(define unused 1)',
    print: (text) => `(begin (display ${quote(text)}) (newline))`,
    printError: (text) => `(import "sys") (define unused (sys.stderr.write ${quote(`${text}\n`)}))`,
    printAround: (first, file, second) =>
      `(import "os") (import "time") (display ${quote(`${first}\n`)}) (define (await) (if (os.path.exists ${quote(file)}) 'there (begin (time.sleep 0.005) (await)))) (define unused (await)) (display ${quote(`${second}\n`)})`,
    fail: {
      code: '(define (broken) (car 1)) (broken)',
      again: '(broken)',
      name: 'RunTimeError',
      message: 'car called on non-pair 1',
    },
    invalid: '(+ 1',
    invalidName: 'ReadError',
    awaitValue: '7',
    busyLoop: '(define (forever) (forever)) (forever)',
    wait: '(import "time") (time.sleep 60)',
    exit: (code) => `${schemeLastWords} (os._exit ${code})`,
    killItself: (signal) => `${schemeLastWords} (os.kill (os.getpid) ${signal})`,
    printMuch: (bytes) =>
      `(define (times text n) (if (= n 0) "" (string-append text (times text (- n 1))))) (display (times (times (times "é" 100) 100) ${bytes / 20_000}))`,
    printLines: (count) =>
      `(define (count i) (if (< i ${count}) (begin (display i) (newline) (count (+ i 1))))) (count 0)`,
    printLater: (text, seconds) =>
      `(import "os") (define unused (os.system ${quote(`(sleep ${seconds}; echo ${text}) &`)}))`,
    shell: (command) => `(import "subprocess") (define unused (subprocess.call (vector "sh" "-c" ${quote(command)})))`,
    detach: (command) =>
      `(import "subprocess") (string->number (subprocess.getoutput ${quote(`setsid sh -c ${shellQuote(command)} >/dev/null 2>&1 & echo $!`)}))`,
    closeStdout: '',
    replaceStdout: '',
    sendRaw: () => '',
    ownVariables: /^PYDEVD_/,
  },
};

const shellQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
