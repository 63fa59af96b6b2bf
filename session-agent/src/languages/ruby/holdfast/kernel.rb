require 'fcntl'
require 'io/wait'
require_relative 'channel'
require_relative 'completeness'
require_relative 'completion'
require_relative 'errors'
require_relative 'input'
require_relative 'interrupt'
require_relative 'streams'
require_relative 'symbols'

module Holdfast
  # Holds one binding and runs steps in it.
  class Kernel
    F_SETSIG = 10
    O_ASYNC = 0o20000

    # Takes a binding of the top level, so that steps define the same as they would in a program.
    def initialize(binding)
      hold_lifeline
      @channel = Channel.new
      @streams = Streams.new
      @interrupt = Interrupt.new(@channel)
      @input = Input.new(@channel, @streams)
      @binding = binding
      Object.include(Gets)
      @symbols = Symbols.new(@binding)
      @pid = Process.pid
      usage
    end

    def serve
      $0 = @program = 'ruby'
      ARGV.clear
      @channel.send(type: 'ready', version: "Ruby #{RUBY_VERSION}")
      loop do
        request = receive or exit!(0)
        answer(request)
      end
    end

    private

    # A thread that an earlier step has left may exit, which ends no step.
    def receive
      @channel.receive
    rescue SystemExit
      retry
    end

    # The system sends SIGKILL when the other end of fd 4 closes, in the middle of any loop.
    def hold_lifeline
      @lifeline = IO.for_fd(4, 'r')
      @lifeline.close_on_exec = true
      @lifeline.fcntl(F_SETSIG, 9)
      @lifeline.fcntl(Fcntl::F_SETFL, @lifeline.fcntl(Fcntl::F_GETFL) | O_ASYNC)
      @lifeline.fcntl(8, Process.pid)
    end

    def answer(request)
      case request[:type]
      when 'execute' then execute(request)
      when 'symbols' then @channel.send(type: 'symbols', id: request[:id], symbols: @symbols.describe)
      when 'complete' then @channel.send(type: 'completions', id: request[:id], **Completion.matches(@binding, request))
      when 'parse' then @channel.send(type: 'parsed', id: request[:id], **Completeness.of(request[:code]))
      when 'inspect' then @channel.send(type: 'inspection', id: request[:id], found: false, data: {})
      end
    end

    def execute(request)
      @streams.replace(request[:streams]) if request[:streams]
      @input.use(request[:stepId], request[:stdin])
      $stdin = @input
      @streams.begin_step(request[:nonce])
      *messages, done = with_environment(request[:env] || {}) { evaluate(request) }
      leave(done) if Process.pid != @pid
      @streams.end_step
      [*messages, done].each { |message| @channel.send(message) }
      @symbols.note(request[:stepId])
    end

    def with_environment(variables)
      before = variables.to_h { |name, _| [name.to_s, ENV[name.to_s]] }
      variables.each { |name, value| ENV[name.to_s] = value }
      yield
    ensure
      before.each { |name, value| ENV[name] = value }
    end

    # Makes the step the main program, so that what stands below `if __FILE__ == $0` runs. A name that the code itself has given stays.
    def name_program(name)
      return unless $0 == @program

      $0 = @program = name
      Process.setproctitle('ruby')
    end

    # Runs the step and returns the messages that end it.
    def evaluate(request)
      id = request[:stepId]
      name = "<step #{request[:number]}>"
      messages = []
      name_program(name)
      value = @interrupt.during_step(request[:number]) { @binding.eval(request[:code], name) }
      messages << result(id, value) unless value.nil?
      evaluate_expressions(request, messages)
      [*messages, done(id, 'succeeded')]
    rescue SystemExit => e
      exited(id, e)
    rescue Exception => e # rubocop:disable Lint/RescueException
      status = e.is_a?(::Interrupt) && @interrupt.came ? 'interrupted' : 'failed'
      [*messages, { type: 'error', stepId: id, **Errors.describe(e) }, done(id, status)]
    end

    # Adds the values of the expressions beside the code, each as a bundle or as the error that it raises.
    def evaluate_expressions(request, messages)
      (request[:expressions] || {}).each do |name, code|
        value = @interrupt.during_step(request[:number]) { evaluated(code) }
        messages << { type: 'expression', stepId: request[:stepId], name: name.to_s, value: value }
      end
    end

    def evaluated(code)
      { data: { 'text/plain' => shown(@binding.eval(code, '<expression>')) }, metadata: {} }
    rescue Exception => e # rubocop:disable Lint/RescueException
      raise if e.is_a?(::Interrupt) && @interrupt.came

      { error: Errors.describe(e) }
    end

    def result(id, value)
      { type: 'result', stepId: id, data: { 'text/plain' => shown(value) }, metadata: {}, isMain: true }
    end

    def shown(value) = value.inspect.to_s.scrub[0, 1_000_000]

    def done(id, status) = { type: 'done', stepId: id, status: status, late: children?, **usage }

    # CPU time since the step before ended, and the highest resident set so far.
    def usage
      times = Process.times
      now = (times.utime + times.stime + times.cutime + times.cstime) * 1000
      before, @cpu = @cpu || now, now
      memory = File.read('/proc/self/status')[/^VmHWM:\s+(\d+)/, 1]
      { cpuMs: (now - before).round(3), memoryKb: memory.to_i }
    end

    # Whether any child process lives, adopted orphans included.
    def children? = !File.read("/proc/self/task/#{Process.pid}/children").empty?

    # The blocks of `at_exit` wait for the end of the process, which this is not. `abort` has a message of its own.
    def exited(id, error)
      code = error.status & 0xff
      return [done(id, 'succeeded').merge(exitCode: 0)] if code.zero?

      message = error.message == 'exit' ? code.to_s : Errors.message(error)
      [{ type: 'error', stepId: id, name: 'SystemExit', message: message, traceback: [] },
       done(id, 'failed').merge(exitCode: code)]
    end

    # Ends a child that the step has forked and that has reached the step's end. The step is its parent's.
    def leave(done)
      @streams.flush
      exit!(done[:exitCode] || (done[:status] == 'succeeded' ? 0 : 1))
    end
  end
end
