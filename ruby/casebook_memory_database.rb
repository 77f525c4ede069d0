# frozen_string_literal: true

module Casebook
  # Keeps databases in memory across a fork. Such a database exists only in its connection, which ActiveRecord and the sqlite3
  # gem close in the forked process: it would see an empty database. Its own copy of the memory can be used as it is.
  module MemoryDatabase
    # For ActiveRecord::ConnectionAdapters::PoolConfig.
    module Pool
      def discard_pool!(...)
        super unless db_config.database.to_s.match?(/:memory:|mode=memory/)
      end
    end

    # For SQLite3::ForkSafety, since version 2 of the gem. The name of a database in memory is empty.
    module ForkSafety
      def discard
        @databases.select! { |database| database.weakref_alive? && !database.closed? && !database.filename.to_s.empty? }
        super
      end
    end

    # To be called before the fork, after the project was loaded.
    def self.keep
      ActiveRecord::ConnectionAdapters::PoolConfig.prepend(Pool) if defined?(ActiveRecord::ConnectionAdapters::PoolConfig)
      SQLite3::ForkSafety.singleton_class.prepend(ForkSafety) if defined?(SQLite3::ForkSafety)
    end
  end
end
