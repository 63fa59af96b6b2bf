# Calls operations: `Holdfast.call(name, *arguments)` asks the session's data-plane or its host, and waits for the answer.

require 'json'
require 'socket'

module Holdfast
  # An operation has failed. `name` says how.
  class OperationError < StandardError
    attr_reader :name

    def initialize(message, name = 'OperationError')
      super(message)
      @name = name
    end
  end

  # The policy of the session forbids it. `rule` names the rule.
  class PolicyViolation < StandardError
    attr_reader :rule

    def initialize(message, rule = nil)
      super(message)
      @rule = rule
    end
  end

  class << self
    # Takes arguments that JSON can hold, and returns the value.
    def call(name, *arguments)
      path, kernel = ENV.values_at('HOLDFAST_OPERATIONS', 'HOLDFAST_KERNEL')
      raise OperationError, 'this process belongs to no session' unless path

      line = line_of({ kernel: kernel, name: name, arguments: arguments })
      # Output from before the call comes before it for those who watch.
      [$stdout, $stderr].each(&:flush)
      value_in(ask(path, line))
    end

    private

    def line_of(call)
      JSON.generate(call)
    rescue JSON::GeneratorError => e
      raise OperationError.new("JSON cannot hold the arguments: #{e.message}", 'InvalidArguments')
    end

    def ask(path, line)
      UNIXSocket.open(path) do |socket|
        socket.write(line, "\n")
        socket.read
      end
    rescue SystemCallError => e
      raise OperationError, "the session cannot be reached: #{e.message}"
    end

    def value_in(answer)
      raise OperationError, 'the call got no answer' unless answer.end_with?("\n")

      value, error = JSON.parse(answer).values_at('value', 'error')
      return value unless error
      raise PolicyViolation.new(error['message'], error['rule']) if error['name'] == 'PolicyViolation'

      raise OperationError.new(error['message'], error['name'])
    end
  end
end
