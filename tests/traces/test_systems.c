/* test_systems.c - what fio, strace and the page cache print, at random */
#define _GNU_SOURCE
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/traces/read_all.h"
#include "tests/traces/text.h"

#define FILES 4

/* ----------------------------------------------------------- random logs -- */

/* What a log comes to: the file, the offset, the bytes, and read or write. */
struct request {
    unsigned file, kind;
    uint64_t offset;
    uint32_t bytes;
};

static struct request requests[512];
static size_t count;

static void request(unsigned file, uint64_t offset, uint64_t bytes,
                    unsigned kind)
{
    requests[count++] = (struct request){file, kind, offset, (uint32_t)bytes};
}

static void make_fio(void)
{
    unsigned version = 2 + (unsigned)below(2);
    add("fio version %u iolog\n", version);
    for (uint64_t i = below(40); i > 0; i--) {
        static const char *const other[] = {"add", "open", "close"};
        unsigned file = (unsigned)below(FILES), what = (unsigned)below(5);
        uint64_t offset = below(1 << 20), bytes = 1 + below(9999);
        if (version == 3)
            add("%u ", (unsigned)below(1000000));
        add("/data/a file %u ", file);
        if (what == 0)
            add("%s\n", other[below(3)]);
        else if (what == 1)
            add("%s %" PRIu64 " %" PRIu64 "\n", one_in(2) ? "sync" : "trim",
                offset, bytes);
        else
            add("%s %" PRIu64 " %" PRIu64 "\n", what == 2 ? "write" : "read",
                offset, bytes);
        if (what > 1)
            request(file, offset, bytes, what == 2);
    }
}

static void make_filemap(void)
{
    add(one_in(2) ? "# tracer: nop\n" : "cpus=2\nCPU:1 [LOST 7 EVENTS]\n");
    for (uint64_t i = below(40); i > 0; i--) {
        unsigned file = (unsigned)below(FILES), what = (unsigned)below(5);
        uint64_t page = below(1000), more = below(4);
        add("  less-9 [00%u] ..... %u.%06u: ", what, (unsigned)below(100),
            what);
        if (what == 0)
            add("sched_switch: prev_comm=a ==> next_comm=b\n");
        else if (what == 1)
            add("mm_filemap_delete_from_page_cache: dev 8:1 ino %x pfn=0x1 "
                "ofs=%" PRIu64 " order=0\n",
                file + 255, page << 12);
        else if (what == 2)
            add("mm_filemap_get_pages: dev=8:1 ino=%x ofs=%" PRIu64 "-%" PRIu64
                "\n",
                file + 255, page << 12, ((page + more + 1) << 12) - 1);
        else
            add("mm_filemap_add_to_page_cache: dev 8:1 ino %x page=0x1 pfn=1 "
                "ofs=%" PRIu64 "%s\n",
                file + 255, page << 12, what == 3 ? "" : " order=2");
        if (what > 1)
            request(file, page << 12,
                    what == 2   ? (more + 1) << 12
                    : what == 3 ? 4096
                                : 16384,
                    0);
    }
}

static void make_strace(void)
{
    uint64_t at[2][FILES] = {{0}};
    for (uint64_t i = below(60); i > 0; i--) {
        unsigned process = (unsigned)below(2), file = (unsigned)below(FILES);
        unsigned what = (unsigned)below(9), fd = file + 3;
        uint64_t bytes = below(5000), offset = below(100000);
        uint64_t *place = &at[process][file];
        bool cut = one_in(4), writes;
        add(one_in(2) ? "%u " : "[pid %5u] ", process + 70);
        if (one_in(3))
            add("1646861401.5 ");
        switch (what) {
        case 0:
            add("openat(AT_FDCWD</tmp>, \"f\", O_RDONLY) = %u</f%u>\n", fd,
                file);
            *place = 0;
            break;
        case 1:
            add("lseek(%u</f%u>, 7, SEEK_SET) = %" PRIu64 "\n", fd, file,
                offset);
            *place = offset;
            break;
        case 2:
            add("read(%u</f%u>, 0x1, 9) = -1 EIO (Input/output error)\n", fd,
                file);
            break;
        case 3:
            add("read(%u<pipe:[77]>, \") = 5\", 9) = 5\n", fd);
            break;
        case 4:
            add("close(%u</f%u>) = 0\n", fd, file);
            break;
        case 5:
            /* Written data is printed before the call, read data after it. */
            writes = one_in(2);
            add("%s(%u</f%u>, ", writes ? "pwrite64" : "pread64", fd, file);
            if (cut && !writes)
                add(" <unfinished ...>\n%u <... pread64 resumed>",
                    process + 70);
            add("\"a) = 3, \\\"\"..., 4096, %" PRIu64, offset);
            if (cut && writes)
                add(" <unfinished ...>\n%u <... pwrite64 resumed>",
                    process + 70);
            add(") = %" PRIu64 "\n", bytes);
            if (bytes > 0)
                request(file, offset, bytes, writes);
            break;
        default:
            add("%s(%u</f%u>, ", what == 6 ? "write" : "read", fd, file);
            if (cut)
                add("<unfinished ...>\n%u <... %s resumed>", process + 70,
                    what == 6 ? "write" : "read");
            add("\"\\n\"..., 9999)%s= %" PRIu64 "\n", cut ? "   " : " ", bytes);
            if (bytes > 0)
                request(file, *place, bytes, what == 6);
            *place += bytes;
        }
    }
    add("+++ exited with 0 +++\n");
}

/* Files are numbered as they are met: numbers of the same file share the upper
   20 bits, and those of others do not. */
static bool are_requests(const struct whole_trace *whole)
{
    uint64_t upper[FILES];
    bool met[FILES] = {false};
    if (whole->status != MARGAY_OK || whole->count != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct request *request = &requests[i];
        uint64_t file = whole->numbers[i] >> 44;
        if (!met[request->file])
            upper[request->file] = file;
        met[request->file] = true;
        for (size_t k = 0; k < FILES; k++) {
            if (met[k] && (upper[k] == file) != (k == request->file))
                return false;
        }
        if ((whole->numbers[i] & ((UINT64_C(1) << 44) - 1)) !=
                request->offset ||
            whole->extents[i] != request->bytes ||
            whole->kinds[i] != request->kind)
            return false;
    }
    return true;
}

static void test_random(const char *format, void make(void))
{
    uint64_t each = rounds(800), detected = 0;
    for (uint64_t round = 0; round < each; round++) {
        used = count = 0;
        make();
        struct whole_trace whole = read_bytes("log", format, text, used);
        bool same = are_requests(&whole);
        if (!same)
            CHECK(false, "%s: %zu of %zu: %s\n%s", format, whole.count, count,
                  whole.error.message, text);
        drop_trace(&whole);
        if (!same)
            return;
        whole = read_bytes("log", NULL, text, used);
        detected += count == 0 || strcmp(whole.format, format) == 0;
        drop_trace(&whole);
    }
    CHECK_U64(detected, each, "logs of %s are read, and detected", format);
}

int main(void)
{
    margay_random_seed(&chance, 41);
    test_random("fio", make_fio);
    test_random("filemap", make_filemap);
    test_random("strace", make_strace);
    return tap_done();
}
