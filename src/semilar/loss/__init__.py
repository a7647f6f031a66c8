"""Training losses: supervised (section 3.5), contrastive (section 3.3), VGG features."""
