module Holdfast
  # Raises Interrupt on SIGINT in the step for which it came, and ignores it if no step runs.
  #
  # Ruby runs signal handlers late. So a signal that comes before a step's code has begun counts only if the agent has also sent that
  # step's number.
  class Interrupt
    attr_reader :came

    def initialize(channel)
      @channel = channel
      @main = Thread.current
      @running = false
      @came = false
      trap
    end

    # Yields with the signal armed for the step with this number. Raises Interrupt at most once, because a second could come while
    # the first is being described.
    def during_step(number)
      @came = false
      # Installed for each step, because the user's code may have replaced it.
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
