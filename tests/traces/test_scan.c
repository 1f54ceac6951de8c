/* test_scan.c - numbers from text, compared with the slow and obvious way */
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/formats/format.h"
#include "traces/formats/scan.h"

/* Digit by digit, in a type that is wide enough for the overflow. */
static const char *scan_slowly(const char *cursor, unsigned base,
                               uint64_t *value)
{
    static const char digits[] = "0123456789abcdef";
    margay_u128 sum = 0;
    const char *first = cursor;
    for (;; cursor++) {
        char c =
            *cursor >= 'A' && *cursor <= 'F' ? (char)(*cursor + 32) : *cursor;
        const char *digit = c == '\0' ? NULL : strchr(digits, c);
        if (digit == NULL || digit - digits >= (int)base)
            break;
        sum = sum * base + (margay_u128)(digit - digits);
        if (sum > UINT64_MAX)
            return NULL;
    }
    *value = (uint64_t)sum;
    return cursor == first ? NULL : cursor;
}

static bool scans_agree(const char *text)
{
    uint64_t fast = 0, slow = 0;
    const char *fast_end = margay_scan_hex(text, &fast);
    const char *slow_end = scan_slowly(text, 16, &slow);
    if (fast_end != slow_end || (slow_end != NULL && fast != slow))
        return false;
    fast_end = margay_scan_decimal(text, &fast);
    slow_end = scan_slowly(text, 10, &slow);
    return fast_end == slow_end && (slow_end == NULL || fast == slow);
}

static bool masks_agree(const char *text)
{
    margay_bytes16 digits = margay_hex_digits(margay_load_bytes16(text));
    return margay_mask(digits) == margay_mask_portable(digits);
}

/* A run of `length` digits, a character that is no digit, and anything. */
static void make_text(char *text, size_t bytes, unsigned base, size_t length)
{
    for (size_t i = 0; i < bytes; i++)
        text[i] = (char)any_u64();
    for (size_t i = 0; i < length; i++)
        text[i] = "0123456789abcdefABCDEF"[below(base == 16 ? 22 : 10)];
    text[length] = " ,\n\r\t\0:/@`gG\x80\xff"[below(14)];
}

static void test_random_texts(void)
{
    seed_chance(1);
    uint64_t tries = rounds(300000), wrong_values = 0, wrong_runs = 0;
    for (uint64_t i = 0; i < tries; i++) {
        char text[24 + MARGAY_TEXT_PADDING];
        make_text(text, sizeof text, i % 2 == 0 ? 16 : 10, i % 24);
        wrong_values += !scans_agree(text);
        wrong_runs += !masks_agree(text);
    }
    CHECK_U64(wrong_values, 0, "values and ends of random numbers");
    CHECK_U64(wrong_runs, 0, "every way to find the length agrees");
}

static void test_every_character(void)
{
    unsigned wrong = 0;
    for (unsigned c = 0; c < 256; c++) {
        for (unsigned position = 0; position < 17; position++) {
            char text[17 + MARGAY_TEXT_PADDING];
            memset(text, '7', sizeof text);
            text[position] = (char)c;
            text[20] = '\n';
            wrong += !scans_agree(text) || !masks_agree(text);
        }
    }
    CHECK_U64(wrong, 0, "every character at every position");
}

static void check_limit(const char *digits, unsigned base, bool fits,
                        uint64_t expected)
{
    char text[64 + MARGAY_TEXT_PADDING] = {0};
    uint64_t value = 0;
    strcpy(text, digits);
    const char *end = base == 16 ? margay_scan_hex(text, &value)
                                 : margay_scan_decimal(text, &value);
    CHECK((end != NULL) == fits, "%s in base %u %s", digits, base,
          fits ? "fits" : "does not fit");
    if (fits)
        CHECK_U64(value, expected, "its value");
}

static void test_limits(void)
{
    check_limit("0", 10, true, 0);
    check_limit("18446744073709551615", 10, true, UINT64_MAX);
    check_limit("18446744073709551616", 10, false, 0);
    check_limit("99999999999999999999", 10, false, 0);
    check_limit("000000000000000000000000001", 10, true, 1);
    check_limit("ffffffffffffffff", 16, true, UINT64_MAX);
    check_limit("FFFFFFFFFFFFFFFF", 16, true, UINT64_MAX);
    check_limit("10000000000000000", 16, false, 0);
    check_limit("0000000000000000ffffffffffffffff", 16, true, UINT64_MAX);
    check_limit("", 16, false, 0);
    check_limit("g", 16, false, 0);
    check_limit("a", 10, false, 0);
}

static void test_emitted_numbers(void)
{
    seed_chance(2);
    unsigned wrong = 0;
    for (unsigned i = 0; i < 6400; i++) {
        uint64_t number = any_u64() >> i % 64;
        char emitted[32], expected[32];
        *margay_emit_hex(emitted, number, 1 + i % 16) = '\0';
        snprintf(expected, sizeof expected, "%0*" PRIx64, 1 + (int)(i % 16),
                 number);
        wrong += strcmp(emitted, expected) != 0;
        *margay_emit_decimal(emitted, number) = '\0';
        snprintf(expected, sizeof expected, "%" PRIu64, number);
        wrong += strcmp(emitted, expected) != 0;
    }
    CHECK_U64(wrong, 0, "numbers are written as printf writes them");
}

int main(void)
{
    test_random_texts();
    test_every_character();
    test_limits();
    test_emitted_numbers();
    return tap_done();
}
