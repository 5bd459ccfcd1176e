"""Parameters of the objective that several tests start from."""

from hacpo.objective import ObjectiveSettings

HACPO = ObjectiveSettings(
    ratio_level="sequence",
    shared_term="cross",
    alpha=1.0,
    clip_low=0.2,
    clip_high=0.28,
    cross_delta=0.9,
    cross_step=0.025,
    cross_upper=1.0,
    normalization="sequence_mean",
    constant_length=None,
    kl_coefficient=0.0,
    log_ratio_limit=10.0,
)
