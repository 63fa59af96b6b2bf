module Holdfast
  # Notices when the code turns from one stream to the other. At first only the second stream has methods for that, so a step that prints to
  # the first alone runs none of them.
  class Turns
    # All of Ruby's other methods for writing call one of the first three. The last takes such methods away.
    METHODS = %i[write syswrite write_nonblock reopen].freeze

    # The stream that was written to last.
    attr_reader :last

    # The block is called when the turn has come to another stream, before it writes.
    def initialize(&on_turn)
      @on_turn = on_turn
    end

    def begin_step(first, second)
      @last = first
      @other = { first => second, second => first }.compare_by_identity
      own = first.singleton_methods(false)
      METHODS.each { |name| first.singleton_class.send(:remove_method, name) if own.include?(name) }
      watch(second)
    end

    def take(stream)
      @on_turn.call
      watch(@other[stream])
      @last = stream
    end

    private

    def watch(stream)
      return if stream.singleton_methods(false).include?(:write)

      turns = self
      METHODS.each do |name|
        stream.define_singleton_method(name) do |*arguments, **options|
          turns.take(stream) unless turns.last.equal?(stream)
          super(*arguments, **options)
        end
      end
    end
  end
end
