require 'json'

module Holdfast
  # Messages with the agent on fd 3: four bytes of length (big-endian), then JSON.
  class Channel
    CHUNK_BYTES = 65_536

    def initialize
      @socket = IO.for_fd(3, 'r+b')
      @socket.close_on_exec = true
      @received = ''.b
      @pid = Process.pid
    end

    # A forked child is not the kernel and sends nothing.
    def send(message)
      return if Process.pid != @pid

      json = JSON.generate(message)
      rest = [json.bytesize].pack('N') + json.b
      # Half a message would be the end of the kernel, so an interrupt waits until the message is complete.
      Thread.handle_interrupt(::Interrupt => :never) do
        rest = rest.byteslice(@socket.syswrite(rest)..) until rest.empty?
      end
    end

    # Returns the next message, or nil when the agent is gone. An interrupt ends the wait and loses no message.
    def receive
      until complete?
        @socket.wait_readable
        Thread.handle_interrupt(::Interrupt => :never) { @received << @socket.sysread(CHUNK_BYTES) }
      end
      Thread.handle_interrupt(::Interrupt => :never) { take }
    rescue EOFError
      nil
    end

    # Whether the beginning of a message has come. Ruby's own buffer is not used, because its fill cannot be read.
    def waiting? = !@received.empty? || !@socket.wait_readable(0).nil?

    private

    def complete? = @received.bytesize >= 4 && @received.bytesize >= 4 + length

    def length = @received.unpack1('N')

    def take
      json = @received.byteslice(4, length).force_encoding(Encoding::UTF_8)
      @received = @received.byteslice((4 + length)..)
      JSON.parse(json, symbolize_names: true)
    end
  end
end
