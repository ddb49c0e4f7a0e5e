#include "answer.h"

#include "run.h"

enum { NAMES_BYTES = MAX_CONFIGURATIONS * CONFIGURATION_BYTES };

static void begin(writer *w, size_t members, const char *type, int64_t id) {
  write_map(w, members);
  write_member(w, "type", type);
  write_text(w, "id");
  write_integer(w, id);
}

static void answer_describe(const answerer *self, int64_t id, writer *w) {
  const gw_build build = gw_build_info();
  char names[NAMES_BYTES];
  configurations_names(&self->all, names, sizeof names);
  begin(w, 7, "description", id);
  write_member(w, "name", "reference");
  write_text(w, "versions");
  write_map(w, 2);
  write_member(w, "reference", build.version);
  write_member(w, "compiler", build.compiler);
  write_text(w, "settings");
  write_map(w, 3);
  write_member(w, "mode", "exact");
  write_member(w, "configurations", names);
  write_member(w, "flags", build.flags);
  write_text(w, "activation_errors"); /* half of 2^-24, as the Python adapter states it */
  write_map(w, 2);
  write_text(w, "Sigmoid");
  write_number(w, 0.51);
  write_text(w, "Tanh");
  write_number(w, 0.51);
  write_text(w, "machine");
  machine_write(&self->here, w);
}

static void answer_failure(const failure *why, int64_t id, writer *w) {
  if (why->raised) {
    begin(w, 4, "raised", id);
    write_member(w, "exception", "ProtocolError");
    write_member(w, "message", why->message);
    return;
  }
  begin(w, 5, "refused", id);
  write_member(w, "message", why->message);
  write_member(w, "kind", why->kind);
  write_member(w, "reason", why->reason);
}

static void write_output(writer *w, const output *out) {
  write_map(w, 4);
  write_member(w, "name", out->name);
  write_member(w, "dtype", out->dtype);
  write_text(w, "shape");
  write_list(w, out->rank);
  for (size_t axis = 0; axis < out->rank; axis++)
    write_integer(w, out->shape[axis]);
  write_text(w, "data");
  write_bytes(w, out->data, out->bytes);
}

static void answer_ran(const answerer *self, const results *result, int64_t id, writer *w) {
  begin(w, 4, "ran", id);
  write_text(w, "outputs");
  write_list(w, result->count);
  for (size_t i = 0; i < result->count; i++)
    write_output(w, &result->outputs[i]);
  write_text(w, "digests");
  write_map(w, self->all.count);
  for (size_t i = 0; i < self->all.count; i++)
    write_member(w, result->digests[i].configuration, result->digests[i].hex);
}

static void answer_run(const answerer *self, const value *message, int64_t id, region *memory, writer *w) {
  run_case wanted;
  results result;
  failure why;
  if (case_read(message, memory, &wanted, &why) &&
      run_configurations(&wanted, &self->all, memory, &result, &why))
    answer_ran(self, &result, id, w);
  else
    answer_failure(&why, id, w);
}

value_problem answer_request(const answerer *self, const value *request, region *memory, writer *w) {
  const value *type = value_member(request, "type"), *id = value_member(request, "id");
  if (id == NULL || id->kind != VALUE_INTEGER)
    return "it has no integer id";
  if (value_is_text(type, "describe"))
    answer_describe(self, id->integer, w);
  else if (value_is_text(type, "run"))
    answer_run(self, value_member(request, "case"), id->integer, memory, w);
  else
    return "its type is neither describe nor run";
  return NULL;
}
