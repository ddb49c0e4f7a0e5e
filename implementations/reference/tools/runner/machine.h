/* What machine this is, as the serve protocol's description tells it. */
#ifndef RUNNER_MACHINE_H
#define RUNNER_MACHINE_H

#include <stddef.h>

#include "writer.h"

/* name: the processor's, or NULL where it is not known. emulator: what emulates it, or NULL. */
typedef struct machine {
  const char *name;
  const char *emulator;
} machine;

/* Writes the object `machine`. */
void machine_write(const machine *m, writer *w);

#endif
