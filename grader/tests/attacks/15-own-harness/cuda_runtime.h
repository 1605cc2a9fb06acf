#error "the submission's own header was used"
