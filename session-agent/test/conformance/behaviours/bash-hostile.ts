import type { Behaviour } from './run-behaviours.ts';

const protocolBroken = { status: 'died', cause: { code: 'kernel_killed' } } as const;

/** Attacks of code on its own kernel. At worst they end that kernel, with a cause. */
export const bashHostile: readonly Behaviour[] = [
  {
    name: 'a forged done does not end the step before its end marks',
    source: 'the kernel protocol: the end of a step',
    steps: [
      {
        code: 'id=$__holdfast_step\nprintf \'{"type":"done","stepId":"%s","status":"succeeded"}\\n\' "$id" >&60\necho after',
        stdout: 'after\n',
        exitCode: undefined,
      },
      { code: 'echo on', stdout: 'on\n' },
    ],
  },
  {
    name: 'a message of another step is dropped',
    source: 'the kernel protocol: messages',
    steps: [
      {
        code: `echo '{"type":"error","stepId":"stp_01h2xcejqtf2nbrexx3vqjhp41","name":"x","message":"","traceback":[]}' >&60`,
      },
      { code: 'echo on', stdout: 'on\n' },
    ],
  },
  {
    name: 'a line that is not a message kills the kernel',
    source: 'the kernel protocol',
    steps: [{ code: 'echo nothing >&60; sleep 60', ...protocolBroken }],
  },
  {
    name: 'closing the channel kills the kernel',
    source: 'the kernel protocol',
    steps: [{ code: 'exec 60>&-; sleep 60', ...protocolBroken }],
  },
  {
    name: 'code may close the descriptors 3 to 9',
    source: 'the kernel protocol: descriptors',
    steps: [{ code: 'exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-' }, { code: 'echo on', stdout: 'on\n' }],
  },
  {
    name: 'children have none of the kernel’s descriptors',
    source: 'the kernel protocol: close-on-exec',
    steps: [{ code: `sh -c 'for fd in 3 4 5 6 60 61 62; do [ ! -e /dev/fd/$fd ] || echo $fd; done'` }],
  },
  {
    name: 'a kernel that its code kills dies with the signal as the cause',
    source: 'signal(7)',
    steps: [{ code: 'kill -KILL $$', status: 'died', cause: { code: 'kernel_killed', signal: 'SIGKILL' } }],
  },
  {
    name: 'code cannot assign to the names of the kernel',
    source: 'Bourne Shell Builtins: readonly',
    steps: [
      { code: '__holdfast_leave=x', stderr: /readonly/, error: { name: 'ExitStatus' } },
      { code: 'eval() { :; }; printf() { :; }; read() { :; }; set() { :; }; trap() { :; }; unset PROMPT_COMMAND' },
      { code: 'unset -f eval printf read set trap; echo on', stdout: 'on\n' },
    ],
  },
  {
    name: 'a wrong end mark is output',
    source: 'the kernel protocol: the end of a step',
    steps: [{ code: `printf '\\0holdfast:%032d:e\\0' 0; echo on`, stdout: `\0holdfast:${'0'.repeat(32)}:e\0on\n` }],
  },
  {
    name: 'an interrupt stops processes that never end',
    source: 'Signals',
    steps: [
      {
        code: 'ulimit -u 4000 2>/dev/null; for i in {1..100}; do sleep 60 & done; echo up; sleep 60',
        interruptAt: 'up',
        stdout: 'up\n',
        status: 'interrupted',
      },
      { code: 'kill $(jobs -p) 2>/dev/null; echo on', stdout: 'on\n' },
    ],
  },
];
