"""Looks the facts of a host up: of this one, or of another one over a command that runs there."""

from dbdyno.watch.facts.host import host_facts, host_identity
from dbdyno.watch.facts.remote import remote_facts
from dbdyno.watch.facts.storage import file_system_of

__all__ = ["file_system_of", "host_facts", "host_identity", "remote_facts"]
