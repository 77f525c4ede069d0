# frozen_string_literal: true

module CasebookLearn
  # A short text that a regular expression matches.
  #
  # Reads the pattern and writes one character for each part that has to be there. What it does not understand is left
  # out; the text is only used if the expression really matches it.
  class RegexpExample
    LETTERS = ["a", "A", "1", "_", "-", ".", "/", ":", "%", "+", "=", " ", "&", ",", "@", "\n"].freeze
    TYPES = { "d" => "1", "w" => "a", "s" => " ", "h" => "a", "D" => "x", "W" => "-", "S" => "x", "H" => "x",
              "n" => "\n", "t" => "\t", "r" => "\r", "R" => "\n", "A" => "", "z" => "", "Z" => "", "b" => "", "B" => "",
              "G" => "" }.freeze

    # A text; nil if none was found.
    def self.of(regexp)
      text = new(regexp).text
      text if text.match?(regexp)
    rescue StandardError
      nil
    end

    def initialize(regexp)
      @pattern = regexp.source
      @pattern = @pattern.gsub(/(?<!\\)\s|(?<!\\)#(?!\{).*$/, "") if regexp.options.anybits?(Regexp::EXTENDED)
      @position = 0
      @groups = []
    end

    def text
      alternatives
    end

    private

    def peek = @pattern[@position]

    def take
      @position += 1
      @pattern[@position - 1]
    end

    # The first alternative; the others are read and dropped.
    def alternatives
      first = sequence
      while peek == "|"
        take
        sequence
      end
      first
    end

    def sequence
      text = +""
      text << repeated(part) until peek.nil? || peek == "|" || peek == ")"
      text
    end

    def part
      case (character = take)
      when "(" then group
      when "[" then set
      when "\\" then escape
      when "." then "x"
      when "^", "$" then ""
      else character
      end
    end

    def group
      head = @pattern[@position..].match(/\A\?(?:<[a-z_]\w*>|'\w+'|[imx-]*:|>|=|!|<=|<!|#[^)]*)/i)&.to_s
      @position += head.size if head
      inner = alternatives
      take
      return "" if head && ["?!", "?<!", "?<="].include?(head) || head&.start_with?("?#")

      @groups << inner unless head&.end_with?(":", ">") && !head.start_with?("?<")
      inner
    end

    def set
      start = @position
      depth = 1
      take if peek == "^"
      take if peek == "]"
      until depth.zero?
        character = take or return ""
        take if character == "\\"
        depth += 1 if character == "["
        depth -= 1 if character == "]"
      end
      pattern = Regexp.new("\\A[#{@pattern[start...@position]}\\z")
      [*LETTERS, *"!".."~"].find { |letter| letter.match?(pattern) }.to_s
    end

    def escape
      character = take
      return @groups[character.to_i - 1].to_s if character.match?(/[1-9]/)
      return property if character == "p"

      TYPES.fetch(character, character)
    end

    def property
      name = @pattern[@position..][/\A\{\^?\w+\}/].to_s
      @position += name.size
      LETTERS.find { |letter| letter.match?(Regexp.new("\\p#{name}")) }.to_s
    end

    def repeated(text)
      count = quantifier
      take if ["?", "+"].include?(peek) && @quantified
      text * count
    end

    # How often the part before is repeated: at least once, because a part that is there tells more.
    def quantifier
      @quantified = true
      case peek
      when "*", "+", "?" then take && 1
      when "{" then braces
      else
        @quantified = false
        1
      end
    end

    def braces
      count = @pattern[@position..].match(/\A\{(\d*),?(\d*)\}/)
      return (@quantified = false) || 1 unless count

      @position += count.to_s.size
      [count[1].to_i, 1].max
    end
  end
end
