require 'fcntl'
require 'io/wait'
require_relative 'channel'
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
      @input = Input.new(@channel)
      @binding = binding
      Object.include(Gets)
      @symbols = Symbols.new(@binding)
      @pid = Process.pid
      end_last
    end

    def serve
      $0 = 'ruby'
      ARGV.clear
      @channel.send(type: 'ready', version: "Ruby #{RUBY_VERSION}")
      loop do
        request = @channel.receive or exit!(0)
        answer(request)
      end
    end

    private

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
      when 'complete' then @channel.send(type: 'completions', id: request[:id], **complete(request))
      when 'inspect' then @channel.send(type: 'inspection', id: request[:id], found: false, data: {})
      end
    end

    def execute(request)
      @streams.replace(request[:streams]) if request[:streams]
      @input.use(request[:stepId], request[:stdin])
      $stdin = @input
      messages = with_environment(request[:env] || {}) { evaluate(request) }
      exit!(0) if Process.pid != @pid
      @streams.end_step(request[:nonce])
      messages.each { |message| @channel.send(message) }
      @symbols.note(request[:stepId])
    end

    def with_environment(variables)
      before = variables.to_h { |name, _| [name.to_s, ENV[name.to_s]] }
      variables.each { |name, value| ENV[name.to_s] = value }
      yield
    ensure
      before.each { |name, value| ENV[name] = value }
    end

    # Runs the step and returns the messages that end it.
    def evaluate(request)
      id = request[:stepId]
      value = @interrupt.during_step(request[:number]) { @binding.eval(request[:code], "<step #{request[:number]}>") }
      shown = value.nil? ? [] : [result(id, value)]
      [*shown, done(id, 'succeeded')]
    rescue SystemExit => e
      leave(e.status)
    rescue Exception => e # rubocop:disable Lint/RescueException
      status = e.is_a?(::Interrupt) && @interrupt.came ? 'interrupted' : 'failed'
      [{ type: 'error', stepId: id, **Errors.describe(e) }, done(id, status)]
    end

    def result(id, value)
      { type: 'result', stepId: id, data: { 'text/plain' => value.inspect.to_s.scrub[0, 1_000_000] }, metadata: {}, isMain: true }
    end

    def done(id, status) = { type: 'done', stepId: id, status: status, late: children? }

    # Whether any child process lives, adopted orphans included.
    def children? = !File.read("/proc/self/task/#{Process.pid}/children").empty?

    # Exits through Ruby, which runs the `at_exit` blocks, the latest first. The kernel's own block is the last to run.
    def leave(status)
      exit!(status) if Process.pid != @pid
      @exit_status = status
      ::Kernel.exit(status)
    end

    def end_last
      at_exit do
        @streams.flush
        exit!(@exit_status) if @exit_status
      end
    end

    def complete(request)
      word = request[:code][0, request[:cursor]][/[[:word:]]*[?!]?\z/]
      names = @binding.local_variables.map { |name| [name, 'variable'] } +
              Object.constants.map { |name| [name, 'constant'] } +
              (Object.private_instance_methods + TOPLEVEL_BINDING.receiver.methods).map { |name| [name, 'function'] }
      found = names.select { |name, _| name.to_s.start_with?(word) && name.size <= 512 }.uniq(&:first).first(1000)
      matches = found.map { |name, kind| { text: name.to_s, kind: kind } }
      { matches: matches, start: request[:cursor] - word.size, end: request[:cursor] }
    end
  end
end
