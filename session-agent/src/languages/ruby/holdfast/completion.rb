module Holdfast
  # Completes the word at the cursor: local variables, constants and methods.
  module Completion
    def self.matches(binding, request)
      word = request[:code][0, request[:cursor]][/[[:word:]]*[?!]?\z/]
      found = names(binding).select { |name, _| name.to_s.start_with?(word) && name.size <= 512 }.uniq(&:first).first(1000)
      matches = found.map { |name, kind| { text: name.to_s, kind: kind } }
      { matches: matches, start: request[:cursor] - word.size, end: request[:cursor] }
    end

    def self.names(binding)
      binding.local_variables.map { |name| [name, 'variable'] } +
        Object.constants.map { |name| [name, 'constant'] } +
        (Object.private_instance_methods + TOPLEVEL_BINDING.receiver.methods).map { |name| [name, 'function'] }
    end
  end
end
