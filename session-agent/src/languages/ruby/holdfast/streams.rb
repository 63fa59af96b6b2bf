require_relative 'turns'

module Holdfast
  # The output streams: fds 1 and 2 belong to the user's code, 5 and 6 are the kernel's own ends of the same FIFOs.
  class Streams
    def initialize
      @private = { 1 => 5, 2 => 6 }.transform_values { |fd| IO.for_fd(fd, 'wb').tap { |io| io.close_on_exec = true } }
      @ordering = Mutex.new
      @pid = Process.pid
      @turns = Turns.new { turn }
      replace_stderr
      install
    end

    def flush
      [$stdout, $stderr, STDOUT, STDERR].uniq.each { |io| io.flush rescue nil }
    end

    def begin_step(nonce)
      @nonce = nonce
      @turns.begin_step(STDOUT, STDERR)
    end

    # Yields to send a message in its place: behind all that was written before, and before all that comes.
    def in_order
      flush
      uninterrupted do
        write_marks('m')
        yield
      end
    end

    # Restores fds 1 and 2 and writes the end marks.
    def end_step
      flush
      restore
      mark('e')
      @nonce = nil
    end

    # Replaces the FIFOs by those in the folder. If they cannot be opened, the old ones stay.
    def replace(folder)
      opened = { 1 => '1', 2 => '2' }.transform_values { |name| File.open(File.join(folder, name), 'wb') }
      opened.each { |fd, io| @private[fd].reopen(io) }
      opened.each_value(&:close)
      @private.each_value { |io| io.close_on_exec = true }
      restore
    rescue SystemCallError
      nil
    end

    private

    # Text in a buffer was written before the turn. Streams have some only if the code has set `sync` to false.
    def turn
      [STDOUT, STDERR].each { |io| io.flush unless io.sync rescue nil }
      mark('t')
    end

    def mark(letter) = uninterrupted { write_marks(letter) }

    # A forked child is not the kernel and writes no marks.
    def write_marks(letter)
      return if @nonce.nil? || Process.pid != @pid

      @private.each_value { |io| io.syswrite("\0holdfast:#{@nonce}:#{letter}\0") }
    end

    # Half of the marks would confuse the order, so nothing comes between them. A signal handler can take no lock.
    def uninterrupted(&block)
      Thread.handle_interrupt(Object => :never) { @ordering.owned? ? yield : @ordering.synchronize(&block) }
    rescue ThreadError
      yield
    end

    # Opened anew and not duplicated: children share the flags of the descriptors that they inherit, and may make them non-blocking.
    def restore
      { 1 => STDOUT, 2 => STDERR }.each do |fd, io|
        opened = File.open("/proc/self/fd/#{@private[fd].fileno}", 'wb')
        io.closed? ? revive(fd, opened) : io.reopen(opened)
        opened.close unless opened.fileno == fd
      end
      install
    end

    def install
      $stdout = STDOUT unless $stdout.respond_to?(:write) && !($stdout.respond_to?(:closed?) && $stdout.closed?)
      $stderr = STDERR unless $stderr.respond_to?(:write) && !($stderr.respond_to?(:closed?) && $stderr.closed?)
      [STDOUT, STDERR].each { |io| io.sync = true }
    end

    # Ruby writes warnings past the methods of its own `$stderr`, but calls those of any other.
    def replace_stderr
      rename(:STDERR, IO.for_fd(2, 'w', autoclose: false))
      $stderr = STDERR
    end

    # A closed IO cannot be opened again, so a new one gets its name. Its descriptor may still be open, as Ruby does not close its own.
    def revive(fd, opened)
      opened.autoclose = opened.fileno != fd
      copy = opened.fcntl(Fcntl::F_DUPFD, fd)
      io = IO.for_fd(fd, 'w', autoclose: false)
      IO.for_fd(copy, 'w') { |other| io.reopen(other) } unless copy == fd
      rename(fd == 1 ? :STDOUT : :STDERR, io)
    end

    def rename(name, io)
      Object.send(:remove_const, name)
      Object.const_set(name, io)
    end
  end
end
