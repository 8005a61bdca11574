/* How long a random fetch of a cache line takes, with many in flight: a lower bound for any search
 * whose table of seen states does not fit into a cache.
 *
 *     gcc -O2 -o fetches benchmarks/fetches.c && ./fetches 1024
 *
 * The argument is the size of the memory in MiB.  Huge pages are asked for.  It prints nanoseconds of
 * CPU time for each fetch: first when each address depends on the line before (nothing else is in
 * flight), then when the lines of 512 addresses are prefetched by a loop that does nothing else, and
 * read afterwards, as the compiled engine does it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define CHUNK 512

static double cpu(void) {
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return at.tv_sec + at.tv_nsec / 1e9;
}

static uint64_t next(uint64_t *state) {
    uint64_t word = *state += 0x9E3779B97F4A7C15;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
    word = (word ^ word >> 27) * 0x94D049BB133111EB;
    return word ^ word >> 31;
}

int main(int argc, char **argv) {
    uint64_t size = (argc > 1 ? strtoull(argv[1], 0, 10) : 1024) << 20, lines = size / 64;
    char *memory = mmap(0, size + (2 << 20), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory = (char *)(((uintptr_t)memory + (2 << 20) - 1) & ~(uintptr_t)((2 << 20) - 1));
    madvise(memory, size, MADV_HUGEPAGE);
    for (uint64_t at = 0; at < size; at += 64) *(uint64_t *)(memory + at) = at;
    uint64_t count = 20000000, seed = 1, sum = 0;
    for (int round = 0; round < 3; round++) {
        double begun = cpu();
        for (uint64_t number = 0; number < count / 8; number++) {
            uint64_t word = next(&seed) ^ (sum & 1);
            sum += *(uint64_t *)(memory + (((unsigned __int128)word * lines) >> 64) * 64) | 1;
        }
        double alone = (cpu() - begun) / (count / 8) * 1e9;
        begun = cpu();
        static char *places[CHUNK];
        for (uint64_t number = 0; number < count / CHUNK; number++) {
            for (int one = 0; one < CHUNK; one++)
                places[one] = memory + (((unsigned __int128)next(&seed) * lines) >> 64) * 64;
            for (int one = 0; one < CHUNK; one++) __builtin_prefetch(places[one], 0, 2);
            for (int one = 0; one < CHUNK; one++) sum += *(uint64_t *)places[one];
        }
        double many = (cpu() - begun) / count * 1e9;
        begun = cpu();
        for (uint64_t number = 0; number < count / CHUNK; number++) {
            for (int one = 0; one < CHUNK; one++)
                places[one] = memory + (((unsigned __int128)next(&seed) * (lines >> 14)) >> 64) * 64;
            for (int one = 0; one < CHUNK; one++) __builtin_prefetch(places[one], 0, 2);
            for (int one = 0; one < CHUNK; one++) sum += *(uint64_t *)places[one];
        }
        double near = (cpu() - begun) / count * 1e9;
        printf("alone %.1f ns, 512 at once %.1f ns, the same within 64 kB per GB %.1f ns\n", alone, many, near);
    }
    return sum == 42;
}
