"""Private servers of the MySQL family: MySQL, MariaDB, Percona Server, GreatSQL."""
