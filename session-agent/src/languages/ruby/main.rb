# Starts the Ruby kernel, which needs Ruby's own libraries only. `languages/README.md` describes the protocol.

require_relative 'holdfast/kernel'

Holdfast::Kernel.new(binding).serve
