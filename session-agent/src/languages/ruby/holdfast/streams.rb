module Holdfast
  # The output streams: fds 1 and 2 belong to the user's code, 5 and 6 are the kernel's own ends of the same FIFOs.
  class Streams
    def initialize
      @private = { 1 => 5, 2 => 6 }.transform_values { |fd| IO.for_fd(fd, 'wb').tap { |io| io.close_on_exec = true } }
      install
    end

    def flush
      [$stdout, $stderr, STDOUT, STDERR].uniq.each { |io| io.flush rescue nil }
    end

    # Restores fds 1 and 2 and writes the end marks.
    def end_step(nonce)
      flush
      restore
      @private.each_value { |io| io.syswrite("\0holdfast-end:#{nonce}\0") }
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

    # A closed IO cannot be opened again, so a new one gets its name.
    def revive(fd, opened)
      name = fd == 1 ? :STDOUT : :STDERR
      copy = IO.for_fd(opened.fcntl(0, fd), 'w')
      Object.send(:remove_const, name)
      Object.const_set(name, copy)
    end
  end
end
