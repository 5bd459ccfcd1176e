"""Configuration: the schemas behind `conf/`, their ranges, their relations, and clear errors.

Imports neither torch, transformers, lightning nor vllm, so that a mistake is reported at once.
"""
