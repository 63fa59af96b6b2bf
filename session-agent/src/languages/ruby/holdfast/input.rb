require 'stringio'

module Holdfast
  # `$stdin` in a step. It asks the agent for each line that the code reads.
  class Input < StringIO
    def initialize(channel, streams)
      super('')
      @channel = channel
      @streams = streams
      @step_id = nil
    end

    # Sets the running step, and whether it may ask.
    def use(step_id, allowed)
      @step_id = step_id
      @allowed = allowed
    end

    def gets(*arguments, **options)
      line = ask
      line && super_gets(line, *arguments, **options)
    end

    def readline(*arguments, **options) = gets(*arguments, **options) || raise(EOFError, 'end of file reached')

    def each_line
      while (line = gets)
        yield line
      end
    end

    def readlines(*, **) = enum_for(:each_line).to_a

    def read(*) = readlines.join

    private

    def super_gets(line, *arguments, **options) = StringIO.new(line).gets(*arguments, **options)

    def ask
      unless @allowed
        raise IOError, 'the step was not allowed to ask for input: set `stdin: true`'
      end

      @streams.in_order { @channel.send(type: 'input_request', stepId: @step_id, prompt: '', password: false) }
      loop do
        message = @channel.receive or return
        next unless message[:type] == 'input' && message[:stepId] == @step_id

        return message[:text] && "#{message[:text]}\n"
      end
    end
  end

  # Makes `gets` without a receiver read `$stdin`. Ruby's own reads the files that ARGV names, and a kernel has none.
  module Gets
    private

    def gets(*arguments, **options) = $stdin.gets(*arguments, **options)

    def readline(*arguments, **options) = $stdin.readline(*arguments, **options)

    def readlines(*arguments, **options) = $stdin.readlines(*arguments, **options)
  end
end
