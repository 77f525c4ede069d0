# frozen_string_literal: true

require "active_support/all"
require "factory_bot"

Dir[File.expand_path("../{app,lib}/**/*.rb", __dir__)].sort.each { |file| require file }

FactoryBot.definition_file_paths = [File.expand_path("factories", __dir__)]
FactoryBot.find_definitions

RSpec.configure do |config|
  config.include FactoryBot::Syntax::Methods
end
