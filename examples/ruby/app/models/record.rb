# frozen_string_literal: true

# Replaces a database record, so that the sample needs no database.
class Record
  attr_accessor :id, :created_at, :updated_at

  def initialize(**attributes)
    attributes.each { |name, value| public_send(:"#{name}=", value) }
  end
end
