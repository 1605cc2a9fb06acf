/* Losses in words: of the findings of severity "warning", what they cost and what could be spared. */
#ifndef RECORD_LOSSES_H
#define RECORD_LOSSES_H

#include <jansson.h>
#include <stdbool.h>

/* Gives the losses of DOCUMENT (lanewise/run/v1), added up over all launches, their messages, "unit" (of
 * cost and ideal), "share" (percent of all of the run's that cost is), "spare" (what the ideal would be,
 * in words) and "help"; takes away what only served to find these. Sorts the findings: errors as they
 * came, then losses, the most wasteful first. */
void record_describe_losses(json_t *document);

/* Whether FINDING is one, and what it wastes. */
bool record_is_loss(const json_t *finding);
json_int_t record_loss_waste(const json_t *finding);

#endif
