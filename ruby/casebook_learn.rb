# frozen_string_literal: true

# Searches inputs for the methods of a project and observes what the methods do with them.
#
# `casebook design implement --learn` runs this file in a sandbox. It reads a plan from standard input: the methods with
# their leaves, facts from their sources, values from existing specs. It writes one line of JSON per method. The code under
# test runs in forked processes only.

$VERBOSE = nil
output = $stdout.dup
$stdout.reopen(File::NULL, "w")

require "fileutils"
require "json"
require "tmpdir"
require_relative "casebook_sandbox"
# The only directory in which the code under test may write.
ENV["TMPDIR"] = Dir.mktmpdir("casebook-")
ENV["RAILS_ENV"] = ENV["RACK_ENV"] = "test"
plan = JSON.parse($stdin.read)
require_relative "casebook_memory_database"
require_relative "casebook_probes"
Casebook::Probes.start(Casebook::Probes::Plan.read(plan.fetch("probes")))
require_relative "learn/session"

CasebookLearn::Session.new(plan, output).run
FileUtils.rm_rf(ENV.fetch("TMPDIR"))
# Not `exit`: code of the project may run at the exit.
exit!(0)
