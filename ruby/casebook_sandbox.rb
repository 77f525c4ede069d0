# frozen_string_literal: true

# Replaces the methods of Ruby that start processes or change files outside a directory.
#
# The kernel isolates the process; see `crates/design/src/sandbox.rs`. These stubs make an attempt visible: it raises
# CasebookSandbox::Blocked, which names the method, instead of an error of the system that code may rescue and hide.
module CasebookSandbox
  # Not a StandardError, so that `rescue => error` in the code under test does not hide it.
  class Blocked < SecurityError
    def initialize(call)
      super("#{call} is not available in the sandbox")
    end
  end

  STARTS_PROCESS = {
    Kernel => %i[system spawn exec fork ` syscall],
    Process => %i[spawn exec fork daemon kill],
    IO => %i[popen]
  }.freeze

  # Methods with a path as the first argument, which they change.
  CHANGES_FIRST = {
    IO => %i[write binwrite],
    File => %i[write binwrite truncate mkfifo],
    Dir => %i[mkdir rmdir delete unlink]
  }.freeze

  # Methods of which every text argument is a path to change.
  CHANGES_ALL = {
    File => %i[delete unlink rename link symlink chmod lchmod chown lchown utime lutime]
  }.freeze

  # Methods that open a path: for reading, or with a mode for writing. A text that starts with `|` is a command.
  OPENS = {
    Kernel => %i[open],
    IO => %i[read binread readlines foreach write sysopen],
    File => %i[open new]
  }.freeze

  WRITE_MODES = File::WRONLY | File::RDWR | File::CREAT | File::TRUNC | File::APPEND

  class << self
    # Installs the stubs. Files below `directory` may be changed.
    def install(directory)
      @directory = File.realpath(directory)
      STARTS_PROCESS.each { |owner, names| names.each { |name| replace(owner, name) { |call, _| raise Blocked, call } } }
      CHANGES_FIRST.each { |owner, names| names.each { |name| replace(owner, name) { |call, args| check(call, args.first) } } }
      CHANGES_ALL.each { |owner, names| names.each { |name| replace(owner, name) { |call, args| check_all(call, args) } } }
      OPENS.each { |owner, names| names.each { |name| replace(owner, name) { |call, args| check_open(call, args) } } }
    end

    private

    # Redefines a method so that a check runs before it. The methods of Kernel are also private methods of every object.
    def replace(owner, name, &check)
      call = "#{owner}.#{name}"
      [owner.singleton_class, (owner if owner == Kernel)].compact.each do |target|
        next unless target.method_defined?(name) || target.private_method_defined?(name)

        original = target.instance_method(name)
        define(target, name, original) { |arguments| check.call(call, arguments) }
        target.send(:private, name) unless target.singleton_class?
      end
    end

    def define(target, name, original, &check)
      target.define_method(name) do |*arguments, **options, &block|
        check.call([*arguments, *options[:mode]])
        original.bind_call(self, *arguments, **options, &block)
      end
    end

    def check(call, path)
      raise Blocked, "#{call} of #{path}" if path.respond_to?(:to_str) && !inside?(path.to_str)
      raise Blocked, "#{call} of #{path.to_path}" if path.respond_to?(:to_path) && !inside?(path.to_path)
    end

    def check_all(call, arguments)
      arguments.each { |argument| check(call, argument) }
    end

    def check_open(call, arguments)
      path, mode = arguments
      raise Blocked, "#{call} of a command" if path.respond_to?(:to_str) && path.to_str.start_with?("|")

      check(call, path) if writes?(mode)
    end

    def writes?(mode)
      mode.is_a?(Integer) ? mode.anybits?(WRITE_MODES) : mode.to_s.match?(/[wa+]/)
    end

    def inside?(path)
      path = File.expand_path(path)
      path == File::NULL || path == @directory || path.start_with?("#{@directory}/")
    end
  end
end
