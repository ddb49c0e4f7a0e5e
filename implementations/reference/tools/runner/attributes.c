#include "attributes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum type { INT, FLOAT, STRING, INTS, FLOATS, STRINGS, TYPE_COUNT } type;

static const char *const type_names[TYPE_COUNT] = {"int", "float", "string", "ints", "floats", "strings"};

/* ONNX's attributes of the three operators; `only` is the one operator that has it, or -1. */
static const struct {
  const char *name;
  type type;
  int only;
} known[] = {{"activation_alpha", FLOATS, -1},
             {"activation_beta", FLOATS, -1},
             {"activations", STRINGS, -1},
             {"clip", FLOAT, -1},
             {"direction", STRING, -1},
             {"hidden_size", INT, -1},
             {"layout", INT, -1},
             {"linear_before_reset", INT, GW_GRU},
             {"input_forget", INT, GW_LSTM}};

enum { KNOWN = sizeof known / sizeof known[0] };

const char *attributes_string(const value *text, region *memory) {
  size_t hidden = 0;
  for (size_t i = 0; i < text->count; i++)
    hidden += text->text[i] == '\0';
  if (hidden == 0)
    return text->text;
  char *spelled = region_allocate(memory, text->count + hidden + 1);
  char *out = spelled;
  for (size_t i = 0; i < text->count; i++) {
    if (text->text[i] == '\0') {
      *out++ = '\\';
      *out++ = '0';
    } else {
      *out++ = text->text[i];
    }
  }
  *out = '\0';
  return spelled;
}

/* A float of the protocol; those that JSON lacks are texts. */
static bool read_float(const value *item, float *number) {
  if (item->kind == VALUE_NUMBER)
    *number = (float)item->number;
  else if (item->kind == VALUE_INTEGER)
    *number = (float)item->integer;
  else if (value_is_text(item, "NaN"))
    *number = NAN;
  else if (value_is_text(item, "Infinity"))
    *number = INFINITY;
  else if (value_is_text(item, "-Infinity"))
    *number = -INFINITY;
  else
    return false;
  return true;
}

static bool set_integer(gw_layer_desc *layer, const char *name, int64_t number) {
  if (strcmp(name, "hidden_size") == 0) {
    layer->has_hidden_size = true;
    layer->hidden_size = number;
  } else if (strcmp(name, "layout") == 0) {
    layer->has_layout = true;
    layer->layout = number;
  } else if (strcmp(name, "linear_before_reset") == 0) {
    layer->linear_before_reset = number;
  } else {
    layer->input_forget = number;
  }
  return true;
}

static bool set_floats(gw_layer_desc *layer, const char *name, const value *list, region *memory) {
  float *numbers = region_allocate(memory, list->count * sizeof *numbers);
  for (size_t i = 0; i < list->count; i++)
    if (!read_float(&list->items[i], &numbers[i]))
      return false;
  if (strcmp(name, "activation_alpha") == 0) {
    layer->activation_alpha = numbers;
    layer->activation_alpha_count = list->count;
  } else {
    layer->activation_beta = numbers;
    layer->activation_beta_count = list->count;
  }
  return true;
}

static bool set_activations(gw_layer_desc *layer, const value *list, region *memory) {
  const char **names = region_allocate(memory, list->count * sizeof *names);
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].kind != VALUE_TEXT)
      return false;
    names[i] = attributes_string(&list->items[i], memory);
  }
  layer->activations = names;
  layer->activation_count = list->count;
  return true;
}

/* Whether `given` is of the wanted type, and is now in the layer. An empty list is one of any type. */
static bool set(gw_layer_desc *layer, const char *name, type wanted, const value *given, region *memory) {
  switch (wanted) {
  case INT:
    return given->kind == VALUE_INTEGER && set_integer(layer, name, given->integer);
  case FLOAT:
    return read_float(given, &layer->clip);
  case STRING:
    if (given->kind == VALUE_TEXT)
      layer->direction = attributes_string(given, memory);
    return given->kind == VALUE_TEXT;
  case FLOATS:
    return given->kind == VALUE_LIST && set_floats(layer, name, given, memory);
  case STRINGS:
    return given->kind == VALUE_LIST && set_activations(layer, given, memory);
  default:
    return false;
  }
}

static bool has_attribute(gw_operator op, size_t index) {
  return known[index].only < 0 || known[index].only == (int)op;
}

static bool fail_unknown(gw_operator op, const char *name, failure *why) {
  char allowed[GW_MESSAGE_BYTES] = "";
  for (size_t i = 0, used = 0; i < KNOWN; i++)
    if (has_attribute(op, i))
      used += (size_t)snprintf(allowed + used, sizeof allowed - used, "%s%s", used > 0 ? ", " : "",
                               known[i].name);
  return fail_invalid(why, "attribute", "there is no attribute '%.40s'; the operator has %s", name, allowed);
}

static bool read_one(const value *attribute, region *memory, gw_layer_desc *layer, failure *why) {
  const value *name = value_member(attribute, "name"), *given = value_member(attribute, "value");
  const value *stated = value_member(attribute, "type");
  if (name == NULL || name->kind != VALUE_TEXT || given == NULL || stated == NULL)
    return fail_protocol(why, "an attribute of the request lacks its name, its type or its value");
  size_t index = 0;
  while (index < KNOWN && !(value_is_text(name, known[index].name) && has_attribute(layer->op, index)))
    index++;
  if (index == KNOWN)
    return fail_unknown(layer->op, attributes_string(name, memory), why);
  const type wanted = known[index].type;
  const bool is_stated = value_is_text(stated, type_names[wanted]);
  const bool is_empty = given->kind == VALUE_LIST && given->count == 0;
  if ((!is_stated && !is_empty) || !set(layer, known[index].name, wanted, given, memory))
    return fail_invalid(why, "attribute-type", "attribute %s must be of type %s", known[index].name,
                        type_names[wanted]);
  return true;
}

bool attributes_read(const value *attributes, region *memory, gw_layer_desc *layer, failure *why) {
  if (attributes == NULL || attributes->kind != VALUE_LIST)
    return fail_protocol(why, "the case of the request has no list of attributes");
  for (size_t i = 0; i < attributes->count; i++)
    if (!read_one(&attributes->items[i], memory, layer, why))
      return false;
  return true;
}
