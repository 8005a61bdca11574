/* How long a random fetch of a cache line takes: a lower bound for any search whose table of seen
 * states does not fit into a cache.
 *
 *     gcc -O2 -o fetches benchmarks/fetches.c && ./fetches 1024
 *
 * The argument is the size of the memory in MiB.  Huge pages are asked for.  It prints nanoseconds
 * of CPU time for each fetch: when each address depends on the line before, so that nothing else
 * is in flight; when 512 lines are prefetched by a loop that does nothing else, and read
 * afterwards, as the compiled engine does it; and the same with lines that are in a cache, which is
 * what the loops themselves take.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define CHUNK 512
#define COUNT 20000000
#define HUGE_PAGE ((uintptr_t)2 << 20)

static double cpu(void) {
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return at.tv_sec + at.tv_nsec / 1e9;
}

static uint64_t seed = 1, sum;

static uint64_t next(void) {
    uint64_t word = seed += 0x9E3779B97F4A7C15;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
    word = (word ^ word >> 27) * 0x94D049BB133111EB;
    return word ^ word >> 31;
}

static char *line(char *memory, uint64_t lines, uint64_t word) {
    return memory + (((unsigned __int128)word * lines) >> 64) * 64;
}

static double alone(char *memory, uint64_t lines) {
    double begun = cpu();
    for (int number = 0; number < COUNT / 8; number++)
        sum += *(uint64_t *)line(memory, lines, next() ^ (sum & 1));
    return (cpu() - begun) / (COUNT / 8) * 1e9;
}

static double at_once(char *memory, uint64_t lines) {
    static char *places[CHUNK];
    double begun = cpu();
    for (int number = 0; number < COUNT / CHUNK; number++) {
        for (int one = 0; one < CHUNK; one++) places[one] = line(memory, lines, next());
        for (int one = 0; one < CHUNK; one++) __builtin_prefetch(places[one], 0, 2);
        for (int one = 0; one < CHUNK; one++) sum += *(uint64_t *)places[one];
    }
    return (cpu() - begun) / COUNT * 1e9;
}

int main(int argc, char **argv) {
    uint64_t size = (argc > 1 ? strtoull(argv[1], 0, 10) : 1024) << 20, lines = size / 64;
    char *memory = mmap(0, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 1;
    memory = (char *)(((uintptr_t)memory + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
    madvise(memory, size, MADV_HUGEPAGE);
    for (uint64_t at = 0; at < size; at += 64) *(uint64_t *)(memory + at) = at | 1;
    for (int round = 0; round < 3; round++) {
        double one = alone(memory, lines), many = at_once(memory, lines);
        printf("one at a time %.1f ns, 512 at once %.1f ns, in a cache %.1f ns\n", one, many,
               at_once(memory, 1024));
    }
    return sum == 42;
}
