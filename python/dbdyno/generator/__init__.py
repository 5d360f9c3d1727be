"""The generator: the process that makes load, and the events that it sends."""

from dbdyno.generator.process import GeneratorProcess

__all__ = ["GeneratorProcess"]
