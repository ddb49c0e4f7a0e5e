/*
 * The reference without Python: answers the requests of the serve protocol, from standard input line by line,
 * or those of a packed file. docs/c-library.md is its text.
 *
 * Exit codes: 0 done, 2 usage or set-up.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "json.h"
#include "msgpack.h"

static const char usage[] =
    "Runs cases on the C reference, in the serve protocol or from a packed file.\n"
    "\n"
    "usage: runner [OPTION]...                 answers JSON lines from standard input\n"
    "       runner [OPTION]... CASES ANSWERS   reads requests and writes answers, packed\n"
    "\n"
    "  -p, --path NAME      this kernel path alone, not all that the processor runs\n"
    "  -t, --threads LIST   numbers of threads, between commas [1,3]\n"
    "  -m, --machine NAME   the processor's name in the description\n"
    "  -e, --emulator TEXT  what emulates the processor, in the description\n"
    "  -h, --help           this text\n"
    "\n"
    "Examples:\n"
    "  gatewise gate -i 'serve:runner --path scalar'\n"
    "  runner --threads 1,2,7 corpus.cases corpus.answers\n";

static int fail(const char *subject, const char *problem) {
  fprintf(stderr, "runner: %s: %s\n", subject, problem);
  return 2;
}

/* Answers one line; returns what is wrong with it, or NULL. */
static value_problem answer_line(const answerer *self, const char *line, size_t count, writer *w) {
  region memory = {NULL};
  value request;
  value_problem problem = json_read(line, count, &memory, &request);
  w->count = 0;
  if (problem == NULL)
    problem = answer_request(self, &request, &memory, w);
  region_release(&memory);
  return problem;
}

static int serve(const answerer *self) {
  char *line = NULL;
  size_t room = 0;
  ssize_t count;
  writer w = {.packed = false};
  int code = 0;
  while (code == 0 && (count = getline(&line, &room, stdin)) >= 0) {
    const value_problem problem = answer_line(self, line, (size_t)count, &w);
    if (problem != NULL) {
      code = fail("the line is not a request of the serve protocol", problem);
      break;
    }
    write_after(&w, '\n');
    if (fwrite(w.bytes, 1, w.count, stdout) != w.count || fflush(stdout) != 0)
      code = fail("standard output", strerror(errno));
  }
  free(line);
  free(w.bytes);
  return code;
}

/* All of a file, with its size; NULL, with errno, where it cannot be read. */
static unsigned char *read_file(const char *path, size_t *count) {
  FILE *file = fopen(path, "rb");
  unsigned char *bytes = NULL;
  size_t room = 0, got = 1;
  *count = 0;
  while (file != NULL && got > 0) {
    if (*count == room) {
      room = 2 * room + 65536;
      unsigned char *more = realloc(bytes, room);
      if (more == NULL)
        break;
      bytes = more;
    }
    got = fread(bytes + *count, 1, room - *count, file);
    *count += got;
  }
  if (file == NULL || ferror(file) || got > 0) {
    free(bytes);
    bytes = NULL;
  }
  if (file != NULL)
    fclose(file);
  return bytes;
}

/* Writes the answers to all requests; each is in the file before the next request runs. */
static int answer_all(const answerer *self, const value *requests, const char *cases, const char *answers) {
  FILE *file = fopen(answers, "wb");
  writer w = {.packed = true};
  int code = file == NULL ? fail(answers, strerror(errno)) : 0;
  if (code == 0) {
    write_list(&w, requests->count);
    w.depth = 0; /* the items follow as messages of their own */
  }
  for (size_t i = 0; code == 0 && i < requests->count; i++) {
    region memory = {NULL};
    const value_problem problem = answer_request(self, &requests->items[i], &memory, &w);
    region_release(&memory);
    if (problem != NULL)
      code = fail(cases, problem);
    else if (fwrite(w.bytes, 1, w.count, file) != w.count)
      code = fail(answers, strerror(errno));
    w.count = 0;
  }
  if (file != NULL && fclose(file) != 0 && code == 0)
    code = fail(answers, strerror(errno));
  free(w.bytes);
  return code;
}

static int run_packed(const answerer *self, const char *cases, const char *answers) {
  size_t count;
  unsigned char *bytes = read_file(cases, &count);
  region memory = {NULL};
  value requests;
  if (bytes == NULL)
    return fail(cases, strerror(errno));
  value_problem problem = msgpack_read(bytes, count, &memory, &requests);
  if (problem == NULL && requests.kind != VALUE_LIST)
    problem = "it is no list of requests";
  const int code = problem == NULL ? answer_all(self, &requests, cases, answers) : fail(cases, problem);
  region_release(&memory);
  free(bytes);
  return code;
}

int main(int argc, char **argv) {
  static const struct option options[] = {
      {"path", required_argument, NULL, 'p'},    {"threads", required_argument, NULL, 't'},
      {"machine", required_argument, NULL, 'm'}, {"emulator", required_argument, NULL, 'e'},
      {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
  static answerer self;
  const char *path = NULL, *threads = "1,3";
  char problem[256];
  int option;
  while ((option = getopt_long(argc, argv, "p:t:m:e:h", options, NULL)) != -1) {
    switch (option) {
    case 'p':
      path = optarg;
      break;
    case 't':
      threads = optarg;
      break;
    case 'm':
      self.here.name = optarg;
      break;
    case 'e':
      self.here.emulator = optarg;
      break;
    case 'h':
      fputs(usage, stdout);
      return 0;
    default:
      fputs("runner: --help says what is allowed\n", stderr);
      return 2;
    }
  }
  if (argc - optind != 0 && argc - optind != 2)
    return fail("usage", "there must be two files or none; --help says more");
  if (!configurations_make(path, threads, &self.all, problem))
    return fail("usage", problem);
  return argc == optind ? serve(&self) : run_packed(&self, argv[optind], argv[optind + 1]);
}
