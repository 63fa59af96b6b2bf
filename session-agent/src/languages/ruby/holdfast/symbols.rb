module Holdfast
  # The local variables, methods and constants that steps have defined, and which step bound each of them last.
  class Symbols
    def initialize(binding)
      @binding = binding
      @constants = Object.constants
      @methods = methods
      @identities = {}
      @steps = {}
    end

    def note(step_id)
      found = bindings.to_h { |name, kind, value| [name, [kind, value.__id__]] }
      found.each { |name, identity| @steps[name] = step_id if @identities[name] != identity }
      @identities = found
    rescue StandardError
      nil
    end

    def describe
      bindings.first(5000).map do |name, kind, value|
        { name: name.to_s[0, 500], kind: kind, type: type(value), preview: preview(value), size: size(value), stepId: @steps[name] }
      end
    end

    private

    def methods = Object.private_instance_methods(false) + TOPLEVEL_BINDING.receiver.singleton_methods

    def bindings
      variables = @binding.local_variables.reject { |name| name == :_ }
      variables.map { |name| [name, 'variable', @binding.local_variable_get(name)] } +
        (methods - @methods).map { |name| [name, 'function', TOPLEVEL_BINDING.receiver.method(name).unbind] } +
        (Object.constants - @constants).reject { |name| Object.autoload?(name) }.map do |name|
          value = Object.const_get(name)
          [name, constant_kind(value), value]
        end
    end

    def constant_kind(value)
      case value
      when Class then 'class'
      when Module then 'module'
      else 'variable'
      end
    end

    def type(value) = Kernel.instance_method(:class).bind_call(value).name.to_s[0, 200]

    # Previews Ruby's own simple values only, because `inspect` of others is the user's code.
    def preview(value)
      case value
      when Integer then value.bit_length > 512 ? '(a long integer)' : value.to_s
      when Float, Symbol, true, false, nil then value.inspect[0, 200]
      when String then value[0, 80].scrub.dump[0, 200]
      when Array, Hash then "#{type(value)} of #{value.size}"
      else "#<#{type(value)}>"
      end
    end

    def size(value)
      value.size if [Array, Hash, String].include?(Kernel.instance_method(:class).bind_call(value))
    end
  end
end
