"""The first phase of a tiny agent: supervised training on an imperfect demonstrator.

It leaves a model that knows the format and most of the facts, with bad habits that reinforcement
learning can unlearn. The result is cached.
"""
