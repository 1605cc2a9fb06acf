/* Everything of this folder, for the observers and the record until they have a header of their own. */
#ifndef GPU_EXECUTE_MACHINE_H
#define GPU_EXECUTE_MACHINE_H

#include "gpu/execute/access.h"
#include "gpu/execute/child.h"
#include "gpu/execute/deciders.h"
#include "gpu/execute/kernel.h"
#include "gpu/execute/launch.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/path.h"
#include "gpu/execute/schedule.h"
#include "gpu/execute/standstill.h"
#include "gpu/execute/state.h"
#include "gpu/execute/stretch.h"
#include "gpu/execute/values.h"
#include "gpu/memory/heap.h"
#include "gpu/memory/memory.h"

#endif
