#include "value.h"

#include <string.h>

const value *value_member(const value *map, const char *key) {
  const value *found = NULL;
  for (size_t i = 0; map != NULL && map->kind == VALUE_MAP && i < map->count; i++)
    if (value_is_text(&map->items[2 * i], key))
      found = &map->items[2 * i + 1];
  return found;
}

bool value_is_text(const value *a, const char *text) {
  return a != NULL && a->kind == VALUE_TEXT && a->count == strlen(text) &&
         memcmp(a->text, text, a->count) == 0;
}

value *value_append(value *list, size_t *used, size_t *room, region *memory) {
  if (*used == *room) {
    const size_t more = *room > 0 ? 2 * *room : 8;
    value *items = region_allocate(memory, more * sizeof *items);
    if (*used > 0)
      memcpy(items, list->items, *used * sizeof *items);
    list->items = items;
    *room = more;
  }
  return &list->items[(*used)++];
}
