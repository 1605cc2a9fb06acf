/* The version that results and `lanewise version` report. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define LANEWISE_VERSION "0.1"

#endif
