import type { Behaviour } from './run-behaviours.ts';

const jupyter = 'ipykernel: raw_input and getpass ask the frontend';
const refusal = 'this step may not ask for input: run it with `stdin: true`';

/** Input, in steps that may ask for it and in steps that may not. */
export const input: Behaviour[] = [
  {
    name: 'input returns the answer',
    source: jupyter,
    steps: [{ code: 'input("name? ")', stdin: ['Ada'], prompts: ['name? '], shown: "'Ada'" }],
  },
  {
    name: 'a step can ask for input many times',
    source: jupyter,
    steps: [{ code: 'int(input()) + int(input("b"))', stdin: ['1', '2'], prompts: ['', 'b'], shown: '3' }],
  },
  {
    name: 'an empty line is an empty text',
    source: 'library reference: input',
    steps: [{ code: 'input()', stdin: [''], prompts: [''], shown: "''" }],
  },
  {
    name: 'the end of input is an EOFError',
    source: 'library reference: input',
    steps: [
      {
        code: 'input()',
        stdin: [null],
        prompts: [''],
        error: { name: 'EOFError', message: 'EOF when reading a line' },
      },
    ],
  },
  {
    name: 'a step can ask again after the end of input',
    source: 'as on a terminal',
    steps: [
      {
        code: 'try: input()\nexcept EOFError: print("end")\ninput()',
        stdin: [null, 'more'],
        prompts: ['', ''],
        stdout: 'end\n',
        shown: "'more'",
      },
    ],
  },
  {
    name: 'a line may be long and have any characters',
    source: jupyter,
    steps: [
      { code: 's = input(); len(s), s[-1]', stdin: [`${'x'.repeat(100_000)}é`], prompts: [''], shown: "(100001, 'é')" },
    ],
  },
  {
    name: 'getpass asks for a password',
    source: 'library reference: getpass',
    steps: [
      { code: 'import getpass; getpass.getpass("key: ")', stdin: ['secret'], prompts: ['key: '], shown: "'secret'" },
    ],
  },
  {
    name: 'a getpass that was imported before asks too',
    source: 'library reference: getpass',
    steps: [
      { code: 'from getpass import getpass' },
      { code: 'getpass("key: ")', stdin: ['secret'], prompts: ['key: '], shown: "'secret'", stderr: '\n' },
    ],
  },
  {
    name: 'sys.stdin.readline returns a line with its end',
    source: 'library reference: io.TextIOBase',
    steps: [{ code: 'import sys; sys.stdin.readline()', stdin: ['l'], prompts: [''], shown: "'l\\n'" }],
  },
  {
    name: 'sys.stdin.read asks until the end of input',
    source: 'library reference: io.TextIOBase',
    steps: [
      { code: 'import sys; sys.stdin.read()', stdin: ['a', 'b', null], prompts: ['', '', ''], shown: "'a\\nb\\n'" },
    ],
  },
  {
    name: 'iterating over sys.stdin yields lines',
    source: 'library reference: io.IOBase',
    steps: [
      {
        code: 'import sys; [l.strip() for l in sys.stdin]',
        stdin: ['a', 'b', null],
        prompts: ['', '', ''],
        shown: "['a', 'b']",
      },
    ],
  },
  {
    name: 'sys.stdin.buffer gives bytes',
    source: 'library reference: io.TextIOBase',
    steps: [
      { code: 'import sys; sys.stdin.buffer.readline()', stdin: ['é'], prompts: [''], shown: "b'\\xc3\\xa9\\n'" },
    ],
  },
  {
    name: 'text that is printed before the question comes before it',
    source: jupyter,
    steps: [{ code: 'print("hello"); input("?")', stdin: ['x'], prompts: ['?'], stdout: 'hello\n', shown: "'x'" }],
  },
  {
    name: 'a thread of the step may ask',
    source: 'asyncio.to_thread(input)',
    steps: [
      {
        code: 'import asyncio; await asyncio.to_thread(input, "t? ")',
        stdin: ['yes'],
        prompts: ['t? '],
        shown: "'yes'",
      },
    ],
  },
  {
    name: 'an interrupt ends a wait for input',
    source: 'languages/README.md',
    steps: [
      {
        code: 'print("asking", flush=True); input()',
        stdin: [],
        interruptAt: 'asking',
        stdout: 'asking\n',
        status: 'interrupted',
        prompts: [''],
        error: { name: 'KeyboardInterrupt' },
      },
      { code: 'input()', stdin: ['next'], prompts: [''], shown: "'next'" },
    ],
  },
  {
    name: 'input reads from a replaced sys.stdin',
    source: 'library reference: input',
    steps: [
      {
        code: 'import sys, io; sys.stdin = io.StringIO("own\\n"); s = input("p"); sys.stdin = sys.__stdin__; s',
        stdout: 'p',
        shown: "'own'",
      },
    ],
  },
  {
    name: 'the debugger asks for its commands',
    source: 'library reference: pdb',
    steps: [
      {
        code: 'x = 5\nbreakpoint()\nx',
        stdin: ['p x', 'c'],
        prompts: ['(Pdb) ', '(Pdb) '],
        stdout: /> <step 1>\([23]\)<module>\(\)[\s\S]*\n5\n$/,
        shown: '5',
      },
    ],
  },
  {
    name: 'a step that may not ask gets an error at once',
    source: 'IPython: StdinNotImplementedError',
    steps: [{ code: 'input("name? ")', error: { name: 'EOFError', message: refusal } }],
  },
  {
    name: 'reading sys.stdin is refused too',
    source: 'languages/README.md',
    steps: [{ code: 'import sys; sys.stdin.read()', error: { name: 'EOFError', message: refusal } }],
  },
  {
    name: 'breakpoint is refused with the same message',
    source: 'languages/README.md',
    steps: [
      { code: 'breakpoint()', error: { name: 'EOFError', message: refusal } },
      { code: '1', shown: '1' },
    ],
  },
  {
    name: 'code that handles the end of input goes on',
    source: 'library reference: EOFError',
    steps: [{ code: 'try: name = input()\nexcept EOFError: name = "nobody"\nname', shown: "'nobody'" }],
  },
  {
    name: 'child processes find no input',
    source: 'languages/README.md: fd 0 is /dev/null',
    steps: [{ code: 'import subprocess; subprocess.run(["cat"], stdout=subprocess.PIPE).stdout', shown: "b''" }],
  },
];
