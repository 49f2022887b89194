// The memory of axi_memory_model with Words = 0: pages that the host's process has mapped as well.
// Bytes of a bus word lie in memory as in its bits, the lowest first, on a little-endian host.

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "svdpi.h"

static unsigned char *bytes;

// Maps the first nbytes bytes of an open file. Nothing can go on without: the process ends.
extern "C" void host_memory_map(int descriptor, unsigned long long nbytes) {
    void *mapped = mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED) {
        printf("%%Error: cannot map %llu bytes of memory: %s\n", nbytes, strerror(errno));
        exit(1);
    }
    close(descriptor);
    bytes = static_cast<unsigned char *>(mapped);
}

extern "C" void host_memory_read(unsigned long long offset, unsigned nbytes, svBitVecVal *word) {
    memcpy(word, bytes + offset, nbytes);
}

extern "C" void host_memory_write(unsigned long long offset, unsigned nbytes,
                                  const svBitVecVal *word, const svBitVecVal *strobe) {
    const unsigned char *from = reinterpret_cast<const unsigned char *>(word);
    for (unsigned i = 0; i < nbytes; i++) {
        if (strobe[i / 32] >> i % 32 & 1) bytes[offset + i] = from[i];
    }
}
