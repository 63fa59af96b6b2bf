# The Ruby kernel: see the page on the kernel protocol. Ruby's own libraries only.

require_relative 'holdfast/kernel'

Holdfast::Kernel.new(binding).serve
