# frozen_string_literal: true

require "set"

module CasebookLearn
  # Writes a value as Ruby code.
  module Literal
    MAX_DEPTH = 4
    MAX_TEXT = 200
    MAX_ITEMS = 20

    class << self
      # The code of a value that is equal to it in both directions; nil if there is none.
      def source(value)
        code = code_of(value, 0)
        return unless code && code.size <= 2 * MAX_TEXT

        read = eval(code, TOPLEVEL_BINDING.dup)
        code if read == value && value == read
      rescue Exception
        nil
      end

      private

      def code_of(value, depth)
        return if depth > MAX_DEPTH

        case value
        when nil, true, false, Integer, Symbol then value.inspect
        when Float then float(value)
        when String then string(value)
        when Array then array(value, depth)
        when Set then array(value.to_a, depth)&.then { |items| "Set#{items}" }
        when Hash then mapping(value, depth)
        when Range then range(value, depth)
        when Regexp then value.inspect
        when Module then value.name
        else number(value)
        end
      end

      def float(value)
        return value.inspect if value.finite?

        "#{'-' if value.negative?}Float::INFINITY" unless value.nan?
      end

      # BigDecimal is a library, which may not be loaded.
      def number(value)
        "BigDecimal('#{value.to_s("F")}')" if defined?(BigDecimal) && value.is_a?(BigDecimal) && value.finite?
      end

      def string(value)
        return unless value.size <= MAX_TEXT && value.valid_encoding?
        return unless [Encoding::UTF_8, Encoding::US_ASCII].include?(value.encoding)

        plain = value.match?(/\A[ -~]*\z/) && !value.match?(/['\\]/)
        plain ? "'#{value}'" : value.dup.encode(Encoding::UTF_8).inspect
      end

      def array(value, depth)
        return if value.size > MAX_ITEMS

        items = value.map { |item| code_of(item, depth + 1) }
        "[#{items.join(', ')}]" if items.all?
      end

      def mapping(value, depth)
        return if value.size > MAX_ITEMS || value.compare_by_identity?

        pairs = value.map { |key, item| pair(key, code_of(key, depth + 1), code_of(item, depth + 1)) }
        return unless pairs.all?

        pairs.empty? ? "{}" : "{ #{pairs.join(', ')} }"
      end

      def pair(key, key_code, item_code)
        return unless key_code && item_code

        key.is_a?(Symbol) && key.match?(/\A[a-z_]\w*\z/i) ? "#{key}: #{item_code}" : "#{key_code} => #{item_code}"
      end

      def range(value, depth)
        first = code_of(value.begin, depth + 1)
        last = code_of(value.end, depth + 1)
        "(#{first}#{value.exclude_end? ? '...' : '..'}#{last})" if first && last
      end
    end
  end
end
