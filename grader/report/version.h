/* The version that results and `lanewise version` carry. */
#ifndef REPORT_VERSION_H
#define REPORT_VERSION_H

#define LANEWISE_VERSION "0.1"

#endif
