/* Describes losses in words. A loss is a finding of severity "warning": its cost (in sectors,
 * wavefronts or instructions) is higher than the ideal cost. The difference is called waste. */
#ifndef RECORD_LOSSES_H
#define RECORD_LOSSES_H

#include <jansson.h>
#include <stdbool.h>

/* Completes the losses of DOCUMENT (lanewise/run/v1), each of which is a sum over all launches.
 * Adds "message", "unit" (of cost and ideal), "share" (the cost in percent of the run's total in
 * that unit), "spare" (the ideal cost in words) and "help". Removes the members that are needed
 * only for this. Sorts the findings: errors in their order, then losses, the most wasteful first,
 * then notes. */
void record_describe_losses(json_t *document);

/* Returns whether FINDING is a loss, and how many units it wastes. */
bool record_is_loss(const json_t *finding);
json_int_t record_loss_waste(const json_t *finding);

#endif
