"""One agent: a language model that samples, is rewarded, and learns from itself and others."""
