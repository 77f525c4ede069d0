# frozen_string_literal: true

module CasebookLearn
  # One call to try: the code of the receiver, of the arguments and of the block.
  class Candidate < Struct.new(:receiver, :arguments, :block)
    # The block whose calls are observed, as in `expect { |block| ... }.to yield_with_args`.
    OBSERVED = "&block"

    BINARY = %w[== === != <=> < > <= >= + - * / % & | ^ << >> =~ **].freeze

    def observed_block? = block == OBSERVED

    def double? = [receiver, arguments].any? { |code| code.include?("double(") }

    # The shorter, the easier to read.
    def size = receiver.size + arguments.size + block.to_s.size

    # The code of the call, on a receiver that has the given name.
    def call_code(name, method)
      case method
      when "[]" then "#{name}[#{arguments}]"
      when *BINARY then "#{name} #{method} (#{arguments})"
      when /\A[a-z_]\w*[?!]?\z/i then "#{name}.#{method}#{list}#{block_code}"
      else "#{name}.public_send(#{[":#{method}", arguments].reject(&:empty?).join(', ')})"
      end
    end

    private

    def list
      passed = [arguments, (block if observed_block?)].compact.reject(&:empty?)
      "(#{passed.join(', ')})" unless passed.empty?
    end

    def block_code
      " #{block}" if block && !observed_block?
    end
  end
end
