/* The version, as results and `lanewise version` report it. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define LANEWISE_VERSION "0.1"

#endif
