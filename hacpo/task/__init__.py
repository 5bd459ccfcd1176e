"""What is trained on: problems with a fixed split, rewards, imperfect demonstrators, sampling.

Nothing here imports torch, so a task can be checked before anything expensive starts.
"""
