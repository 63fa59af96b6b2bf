module Holdfast
  # Says whether code that is being typed can run. Runs none of it.
  module Completeness
    UNFINISHED = /unexpected end-of-input|unterminated|before EOF|meets end of file|expected a matching/

    def self.of(code)
      RubyVM::InstructionSequence.compile(code)
      { status: 'complete', indent: '' }
    rescue SyntaxError => error
      return { status: 'invalid', indent: '' } unless UNFINISHED.match?(error.message)

      { status: 'incomplete', indent: code.lines.last.to_s[/\A[ \t]*/][0, 1024] }
    rescue StandardError, SystemStackError
      { status: 'unknown', indent: '' }
    end
  end
end
