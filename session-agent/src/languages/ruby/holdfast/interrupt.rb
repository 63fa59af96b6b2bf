module Holdfast
  # SIGINT raises Interrupt in the step for which it came, and is ignored where none runs.
  #
  # Ruby runs handlers some time after the signal. So one that comes before a step's code has begun counts only where the agent has
  # sent that step's number as well.
  class Interrupt
    attr_reader :came

    def initialize(channel)
      @channel = channel
      @main = Thread.current
      @running = false
      @came = false
      trap
    end

    # Yields with the signal armed, for the step of this number. Raises Interrupt at most once: a second could come where the first
    # is being described.
    def during_step(number)
      @came = false
      # Put back each time, as the user's code may have taken it away.
      trap
      @running = true
      raise ::Interrupt, '' if announced?(number)

      yield
    ensure
      @running = false
    end

    private

    def trap
      Signal.trap('INT') { interrupt if @running && !@came }
    end

    def interrupt
      @came = true
      @main.raise(::Interrupt, '')
    end

    def announced?(number)
      while @channel.waiting?
        message = @channel.receive or break
        @came = true if message[:type] == 'interrupt' && message[:number] == number
      end
      @came
    end
  end
end
