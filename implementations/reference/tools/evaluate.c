/*
 * A transcendental function as a filter, so that an emulated machine is tested like this one.
 *
 * evaluate FUNCTION PATH < float32 values > float32 results
 * Exit codes: 0 done, 2 usage or set-up.
 */
#include <stdio.h>
#include <string.h>

#include "gatewise.h"

enum { CHUNK = 4096 };

static gw_function find_function(const char *name) {
  gw_function function = 0;
  while (function < GW_FUNCTION_COUNT && strcmp(name, gw_function_name(function)) != 0)
    function++;
  return function;
}

int main(int argc, char **argv) {
  static float values[CHUNK];
  gw_error error;
  size_t count;
  if (argc != 3) {
    fprintf(stderr, "usage: evaluate FUNCTION PATH\n");
    return 2;
  }
  const gw_function function = find_function(argv[1]);
  while ((count = fread(values, sizeof values[0], CHUNK, stdin)) > 0) {
    if (gw_evaluate(function, GW_MODE_EXACT, argv[2], count, values, values, &error) != GW_OK) {
      fprintf(stderr, "%s\n", error.message);
      return 2;
    }
    if (fwrite(values, sizeof values[0], count, stdout) != count) {
      perror("evaluate");
      return 2;
    }
  }
  return 0;
}
