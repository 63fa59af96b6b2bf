module Holdfast
  # Describes an exception: its name, message and backtrace without the kernel's own frames, and then its causes.
  module Errors
    home = File.expand_path('..', __dir__)
    OWN = /\A#{Regexp.escape(home)}|\A<internal:/

    def self.describe(error)
      { name: (error.class.name || error.class.inspect).to_s, message: message(error), traceback: traceback(error) }
    end

    def self.message(error)
      String(error.message).scrub
    rescue StandardError
      '(its message raises an error)'
    end

    def self.traceback(error, depth = 0)
      frames = (error.backtrace || []).grep_v(OWN).first(100).map { |frame| "    from #{frame}".scrub }
      lines = ["#{'cause: ' if depth.positive?}#{message(error)} (#{error.class})", *frames]
      return lines if error.cause.nil? || depth > 10

      lines + traceback(error.cause, depth + 1)
    end
  end
end
