import type { Behaviour } from './run-behaviours.ts';

/** Steps in Ruby. The source is Ruby's documentation or the behaviour of irb. */
export const rubyLanguage: readonly Behaviour[] = [
  {
    name: 'the last value is shown by inspect',
    source: 'irb',
    steps: [{ code: '[1, "a", nil]', shown: '[1, "a", nil]' }],
  },
  {
    name: 'a step is the main program, unless the code names the program itself',
    source: 'Globals: $0',
    steps: [
      { code: 'puts "main" if __FILE__ == $0', stdout: 'main\n' },
      { code: 'puts "main" if __FILE__ == $PROGRAM_NAME', stdout: 'main\n' },
      { code: '$0 = "mine"; nil' },
      { code: '$0', shown: '"mine"' },
    ],
  },
  {
    name: 'nil is not shown',
    source: 'as None in the Python kernel; irb shows it',
    steps: [{ code: 'puts 1', stdout: '1\n' }],
  },
  { name: 'local variables stay', source: 'irb', steps: [{ code: 'a = 1; nil' }, { code: 'a + 1', shown: '2' }] },
  {
    name: 'methods stay',
    source: 'irb',
    steps: [
      { code: 'def twice(x) = x * 2', shown: ':twice' },
      { code: 'twice 4', shown: '8' },
    ],
  },
  {
    name: 'classes stay and can be reopened',
    source: 'Modules and Classes',
    steps: [{ code: 'class A; def x = 1; end; nil' }, { code: 'class A; def y = x + 1; end; A.new.y', shown: '2' }],
  },
  { name: 'constants stay', source: 'Constants', steps: [{ code: 'LIMIT = 3; nil' }, { code: 'LIMIT', shown: '3' }] },
  {
    name: 'globals and instance variables stay',
    source: 'Variables',
    steps: [{ code: '$g = 1; @i = 2; nil' }, { code: '$g + @i', shown: '3' }],
  },
  { name: 'self is main', source: 'irb', steps: [{ code: 'self.to_s', shown: '"main"' }] },
  {
    name: 'blocks and closures see later changes',
    source: 'Proc',
    steps: [{ code: 'n = 1; f = -> { n }; nil' }, { code: 'n = 5; f.call', shown: '5' }],
  },
  {
    name: 'an error has its name, message and line',
    source: 'Exception#backtrace',
    steps: [
      { code: 'def bad\n  raise ArgumentError, "no"\nend; nil' },
      { code: 'bad', error: { name: 'ArgumentError', message: 'no', traceback: /step 1>:2.*\n.*step 2>:1/ } },
      { code: '1', shown: '1' },
    ],
  },
  {
    name: 'a traceback has the causes of an error',
    source: 'Exception#cause',
    steps: [
      {
        code: 'begin; raise "a"; rescue; raise "b"; end',
        error: { name: 'RuntimeError', message: 'b', traceback: /cause: a/ },
      },
    ],
  },
  {
    name: 'a syntax error is a SyntaxError',
    source: 'SyntaxError',
    steps: [{ code: 'def', error: { name: 'SyntaxError', message: /step 1>:1/ } }],
  },
  {
    name: 'an unknown name is a NameError',
    source: 'NameError',
    steps: [{ code: 'nope', error: { name: 'NameError', message: /undefined local variable or method `nope'/ } }],
  },
  {
    name: 'the kernel survives an error whose message raises',
    source: 'Exception#message',
    steps: [{ code: 'class E < StandardError; def message = raise; end; raise E', error: { name: 'E' } }],
  },
  { name: 'warnings go to stderr', source: 'Kernel#warn', steps: [{ code: 'warn "w"', stderr: 'w\n' }] },
  {
    name: 'require loads libraries',
    source: 'Kernel#require',
    steps: [{ code: 'require "json"; JSON.generate([1])', shown: '"[1]"' }],
  },
  {
    name: 'require loads files of the working directory',
    source: 'Kernel#require_relative; load',
    files: { 'mine.rb': 'def mine = 7' },
    steps: [{ code: 'load "./mine.rb"; mine', shown: '7' }],
  },
  { name: 'programs run', source: 'Kernel#`', steps: [{ code: '`echo out`', shown: '"out\\n"' }] },
  {
    name: 'environment variables of one step are restored',
    source: 'the kernel protocol: env',
    steps: [
      { code: 'ENV["N"]', env: { N: '1' }, shown: '"1"' },
      { code: 'ENV["N"].inspect', shown: '"nil"' },
    ],
  },
  {
    name: 'gets asks for a line',
    source: 'Kernel#gets',
    steps: [
      { code: 'gets', stdin: ['line'], prompts: [''], shown: '"line\\n"' },
      { code: '$stdin.gets.inspect', stdin: [null], prompts: [''], shown: '"nil"' },
    ],
  },
  {
    name: 'gets fails if the step may not ask',
    source: 'the kernel protocol: stdin',
    steps: [{ code: 'gets', error: { name: 'IOError', message: /set `stdin: true`/ } }],
  },
  {
    name: 'exit ends the step with its code, after ensure, and at_exit waits for the end of the process',
    source: 'Kernel#exit, Kernel#at_exit',
    steps: [
      { code: 'kept = 1; at_exit { puts "bye" }; nil' },
      {
        code: 'def leave = exit(4)\nbegin; leave; ensure; puts "ensured"; end; puts "never"',
        stdout: 'ensured\n',
        exitCode: 4,
        error: { name: 'SystemExit', message: '4' },
      },
      { code: 'exit', exitCode: 0 },
      { code: 'exit false', exitCode: 1, error: { name: 'SystemExit', message: '1' } },
      { code: 'Thread.new { exit 5 }.join', exitCode: 5, error: { name: 'SystemExit', message: '5' } },
      { code: 'begin; exit 6; rescue SystemExit => e; e.status; end', shown: '6' },
      { code: 'kept', shown: '1' },
    ],
  },
  {
    name: 'abort prints its message and ends the step with code 1',
    source: 'Kernel#abort',
    steps: [
      { code: 'abort "reason"', stderr: 'reason\n', exitCode: 1, error: { name: 'SystemExit', message: 'reason' } },
      { code: '1', shown: '1' },
    ],
  },
  {
    name: 'exit! ends the process',
    source: 'Kernel#exit!',
    steps: [{ code: 'exit!(3)', status: 'died', cause: { code: 'kernel_exited', exitCode: 3 } }],
  },
  {
    name: 'a forked child exits, and the step is its parent’s',
    source: 'Kernel#fork',
    steps: [
      { code: 'fork { puts "child"; exit 7 }; Process.wait; $?.exitstatus', stdout: 'child\n', shown: '7' },
      {
        code: 'if fork then Process.wait; puts $?.exitstatus else warn "a"; puts "b"; warn "c"; exit 8 end',
        stdout: 'b\n8\n',
        stderr: 'a\nc\n',
      },
      { code: 'if fork then Process.wait; puts $?.exitstatus else raise "x" end', stdout: '1\n' },
    ],
  },
  {
    name: 'a thread of an earlier step that exits between steps leaves the context alive',
    source: 'Kernel#exit',
    steps: [
      { code: 'Thread.new { sleep 0.05; puts "leaving"; exit 3 }; nil', background: 'leaving\n' },
      { code: '1', shown: '1' },
    ],
  },
  {
    name: 'both streams can be closed, and have their order, their numbers and their names in the next step',
    source: 'IO#close; IO#reopen',
    steps: [
      { code: 'STDOUT.close; $stderr.close' },
      {
        code: 'print 1; warn 2; system("printf 3; printf 4 >&2"); [$stdout, $stderr].map(&:fileno) + [$stderr.equal?(STDERR)]',
        stdout: '13',
        stderr: '2\n4',
        shown: '[1, 2, true]',
      },
      { code: '$stderr.reopen("/dev/null"); warn "lost"; nil' },
      { code: 'warn "w"', stderr: 'w\n' },
    ],
  },
  {
    name: 'code can rescue an interrupt',
    source: 'Interrupt',
    steps: [
      {
        code: 'begin; puts "up"; sleep; rescue Interrupt; puts "caught"; end',
        interruptAt: 'up',
        stdout: 'up\ncaught\n',
      },
    ],
  },
  {
    name: 'an interrupt runs ensure blocks',
    source: 'Exception Handling',
    steps: [
      {
        code: 'begin; puts "up"; sleep; ensure; puts "done"; end',
        interruptAt: 'up',
        stdout: 'up\ndone\n',
        status: 'interrupted',
      },
    ],
  },
  {
    name: 'a value whose inspect raises fails the step',
    source: 'irb',
    steps: [
      { code: 'class V; def inspect = raise("x"); end; V.new', error: { name: 'RuntimeError', message: 'x' } },
      { code: '1', shown: '1' },
    ],
  },
];
