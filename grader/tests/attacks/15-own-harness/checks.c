#error "the submission's own checks were used"
