/*
 * layouts.c - choosing columns and their roles: the language of layout.h
 */
#include <stdio.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/formats/layout.h"

const char *const margay_role_names[MARGAY_ROLES] = {
    [MARGAY_ROLE_ID] = "id",         [MARGAY_ROLE_SIZE] = "size",
    [MARGAY_ROLE_OP] = "op",         [MARGAY_ROLE_TIME] = "time",
    [MARGAY_ROLE_TTL] = "ttl",       [MARGAY_ROLE_DEVICE] = "device",
    [MARGAY_ROLE_COUNT] = "count",   [MARGAY_ROLE_REQUEST] = "request",
    [MARGAY_ROLE_THREAD] = "thread", [MARGAY_ROLE_SITE] = "site",
    [MARGAY_ROLE_KIND] = "kind",     [MARGAY_ROLE_STATUS] = "status",
    [MARGAY_ROLE_HTTP] = "http",     [MARGAY_ROLE_ADDRESS] = "address",
    [MARGAY_ROLE_COST] = "cost",     [MARGAY_ROLE_TENANT] = "tenant",
};

/* -------------------------------------------------------------- choices -- */

/* --tenant names the tenants. */
unsigned margay_role_named(const char *name, size_t bytes)
{
    unsigned role = 0;
    while (role < MARGAY_ROLE_TENANT &&
           (strlen(margay_role_names[role]) != bytes ||
            memcmp(margay_role_names[role], name, bytes) != 0))
        role++;
    return role < MARGAY_ROLE_TENANT ? role : MARGAY_ROLES;
}

/* The role whose name and an equals sign begin the text; *after stands after
   the sign.  MARGAY_ROLES: none. */
static unsigned role_of(const char *text, const char **after)
{
    size_t bytes = strcspn(text, "=");
    *after = text + bytes + 1;
    return text[bytes] == '=' ? margay_role_named(text, bytes) : MARGAY_ROLES;
}

/* A name of digits without a leading 0 is the number of a column. */
static uint64_t number_of(const char *name, size_t bytes)
{
    uint64_t number = 0;
    if (bytes == 0 || bytes > 18 || name[0] == '0')
        return 0;
    for (size_t i = 0; i < bytes; i++) {
        if (name[i] < '0' || name[i] > '9')
            return 0;
        number = number * 10 + (uint64_t)(name[i] - '0');
    }
    return number;
}

static enum margay_status fail_count(struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "--column: too many columns (expected at most %d)",
                       MARGAY_TAKES);
}

/* Those of a role come one after the other. */
static void put_column(struct margay_choice *choice,
                       const struct margay_named_column *column)
{
    if (choice->counts[column->role]++ == 0)
        choice->firsts[column->role] = (uint8_t)choice->count;
    choice->columns[choice->count++] = *column;
}

static enum margay_status add_column(struct margay_choice *choice,
                                     unsigned role, const char *name,
                                     size_t bytes, struct margay_error *error)
{
    if (bytes == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--column: '%s=' without a column (expected its "
                           "name or its number, from 1 on)",
                           margay_role_names[role]);
    if (choice->count == MARGAY_TAKES)
        return fail_count(error);
    choice->addresses |= role == MARGAY_ROLE_ADDRESS;
    if (role == MARGAY_ROLE_HTTP) {
        choice->http = true;
        enum margay_status status =
            add_column(choice, MARGAY_ROLE_OP, name, bytes, error);
        return status == MARGAY_OK
                   ? add_column(choice, MARGAY_ROLE_ID, name, bytes, error)
                   : status;
    }
    bool optional = choice->of_layout && bytes > 1 && name[bytes - 1] == '?';
    struct margay_named_column column = {
        .role = (uint8_t)(role == MARGAY_ROLE_ADDRESS ? MARGAY_ROLE_ID : role),
        .optional = optional,
        .number = number_of(name, bytes - optional),
        .name = name,
        .name_bytes = bytes - optional,
    };
    column.given = column.number != 0;
    choice->by_name |= !column.given;
    put_column(choice, &column);
    return MARGAY_OK;
}

/* ROLE=COLUMN[+COLUMN]...; *text ends after it. */
static enum margay_status add_role(struct margay_choice *choice,
                                   unsigned *roles, const char **text,
                                   struct margay_error *error)
{
    const char *name;
    unsigned role = role_of(*text, &name);
    if (role == MARGAY_ROLES || (role == MARGAY_ROLE_COST && choice->of_layout))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--column: '%s' (expected id=, size=, op=, time=, "
                           "ttl=, device=, count=, request=, thread=, site=, "
                           "kind=, status=, address=%s http= and a column)",
                           *text, choice->of_layout ? " or" : ", cost= or");
    if (*roles & 1u << role)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--column: %s= twice (expected the columns of one "
                           "%s joined by +)",
                           margay_role_names[role], margay_role_names[role]);
    *roles |= 1u << role;
    enum margay_status status = MARGAY_OK;
    for (unsigned count = 0; status == MARGAY_OK; count++) {
        size_t bytes = strcspn(name, ",+");
        if (count > 0 &&
            (role == MARGAY_ROLE_OP || role == MARGAY_ROLE_TTL ||
             role == MARGAY_ROLE_COUNT || role >= MARGAY_ROLE_THREAD))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--column: %s= of several columns (expected "
                               "one)",
                               margay_role_names[role]);
        status = add_column(choice, role, name, bytes, error);
        *text = name + bytes;
        if (**text != '+')
            break;
        name = *text + 1;
    }
    return status;
}

static enum margay_status parse_roles(const char *text,
                                      struct margay_choice *choice,
                                      struct margay_error *error)
{
    const char *after;
    unsigned roles = 0;
    enum margay_status status = MARGAY_OK;
    if (role_of(text, &after) == MARGAY_ROLES)
        return add_column(choice, MARGAY_ROLE_ID, text, strlen(text), error);
    for (;;) {
        status = add_role(choice, &roles, &text, error);
        if (status != MARGAY_OK || *text == '\0')
            break;
        text++;
    }
    unsigned http = roles >> MARGAY_ROLE_HTTP & 1;
    unsigned ids = (roles >> MARGAY_ROLE_ID & 1) +
                   (roles >> MARGAY_ROLE_ADDRESS & 1) + http;
    if (status == MARGAY_OK && ids == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--column: no id= (expected the column that names "
                           "the object, or address= or http=)");
    if (status == MARGAY_OK && ids + (http & roles >> MARGAY_ROLE_OP) > 1)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--column: %s (expected one of them)",
                           ids == 1    ? "both op= and http="
                           : http == 0 ? "both id= and address="
                                       : "http= and id= or address=");
    return status;
}

/* --tenant may name the columns of devices.  A layout need not have another
   column of tenants to be recognised by its first row. */
static enum margay_status add_tenant(struct margay_choice *choice,
                                     const char *tenant,
                                     struct margay_error *error)
{
    bool by_name = choice->by_name;
    unsigned count = choice->count;
    for (unsigned i = 0; strcmp(tenant, "device") == 0 && i < count; i++) {
        struct margay_named_column column = choice->columns[i];
        if (column.role != MARGAY_ROLE_DEVICE)
            continue;
        if (choice->count == MARGAY_TAKES)
            return fail_count(error);
        column.role = MARGAY_ROLE_TENANT;
        put_column(choice, &column);
    }
    if (choice->count > count)
        return MARGAY_OK;
    enum margay_status status =
        add_column(choice, MARGAY_ROLE_TENANT, tenant, strlen(tenant), error);
    if (status == MARGAY_OK && choice->of_layout) {
        choice->by_name = by_name;
        choice->columns[count].optional = true;
    }
    return status;
}

enum margay_status margay_choice_parse(const char *text, bool of_layout,
                                       const char *tenant,
                                       struct margay_choice *choice,
                                       struct margay_error *error)
{
    *choice = (struct margay_choice){.of_layout = of_layout};
    enum margay_status status = parse_roles(text, choice, error);
    return status == MARGAY_OK && tenant != NULL
               ? add_tenant(choice, tenant, error)
               : status;
}

enum margay_status margay_choices_parse(
    const struct margay_state_options *options,
    struct margay_choice choices[MARGAY_VARIANTS], struct margay_error *error)
{
    bool of_layout = options->layout != &margay_layout_any;
    enum margay_status status = MARGAY_OK;
    for (unsigned v = 0; v < MARGAY_VARIANTS && status == MARGAY_OK; v++) {
        const char *columns = options->layout->variants[v].columns;
        if (options->given.column != NULL)
            columns = v == 0 ? options->given.column : NULL;
        if (columns != NULL)
            status = margay_choice_parse(
                columns, of_layout, options->given.tenant, &choices[v], error);
    }
    return status;
}

/* Does the pattern have a field of this name: <NAME> in a picture, and a group
   (?<NAME>...), (?P<NAME>...) or (?'NAME'...) in a regular expression? */
static bool has_field(const char *pattern, bool is_picture, const char *name)
{
    size_t bytes = strlen(name);
    const char *at = pattern;
    while ((at = strstr(at, name)) != NULL) {
        const char *mark = at > pattern ? at - 1 : "";
        at += bytes;
        if ((*mark == '<' && *at == '>') || (*mark == '\'' && *at == '\''))
            if (is_picture || (mark > pattern && strchr("?P", mark[-1])))
                return true;
    }
    return false;
}

void margay_choice_of_pattern(const char *pattern, bool is_picture,
                              char columns[MARGAY_ROLES_BYTES])
{
    size_t used = 0;
    columns[0] = '\0';
    for (unsigned role = 0; role < MARGAY_ROLE_COST; role++) {
        const char *name = margay_role_names[role];
        if (has_field(pattern, is_picture, name))
            used +=
                (size_t)snprintf(columns + used, MARGAY_ROLES_BYTES - used,
                                 "%s%s=%s", used == 0 ? "" : ",", name, name);
    }
}

/* ---------------------------------------------------------------- found -- */

bool margay_choice_is_found(const struct margay_choice *choice)
{
    unsigned i = 0;
    while (i < choice->count &&
           (choice->columns[i].number != 0 || choice->columns[i].optional))
        i++;
    return i == choice->count;
}

struct margay_choice margay_choice_found(const struct margay_choice *choice)
{
    struct margay_choice found = {.addresses = choice->addresses,
                                  .http = choice->http};
    for (unsigned i = 0; i < choice->count; i++) {
        if (choice->columns[i].number != 0)
            put_column(&found, &choice->columns[i]);
    }
    return found;
}

/* The columns of references that a role fills. */
static const unsigned gives[MARGAY_ROLES] = {
    [MARGAY_ROLE_SIZE] = MARGAY_COLUMN_SIZES,
    [MARGAY_ROLE_OP] = MARGAY_COLUMN_KINDS | (unsigned)MARGAY_COLUMN_OPS,
    [MARGAY_ROLE_TIME] = MARGAY_COLUMN_TIMES,
    [MARGAY_ROLE_TTL] = MARGAY_COLUMN_TTLS,
    [MARGAY_ROLE_REQUEST] = MARGAY_COLUMN_REQUESTS,
    [MARGAY_ROLE_THREAD] = MARGAY_COLUMN_THREADS,
    [MARGAY_ROLE_SITE] = MARGAY_COLUMN_SITES,
    [MARGAY_ROLE_KIND] = MARGAY_COLUMN_KINDS,
    [MARGAY_ROLE_COST] = MARGAY_COLUMN_COSTS,
    [MARGAY_ROLE_TENANT] = MARGAY_COLUMN_TENANTS,
};

unsigned margay_choice_gives(const struct margay_choice *choice)
{
    unsigned columns = 0;
    for (unsigned i = 0; i < choice->count; i++)
        columns |= gives[choice->columns[i].role];
    return columns;
}

void margay_choice_facts(const struct margay_choice *choice,
                         const struct margay_layout *layout,
                         uint64_t unit_bytes, struct margay_trace_facts *facts)
{
    unsigned columns = margay_choice_gives(choice);
    if ((columns & MARGAY_COLUMN_SIZES) != 0 &&
        (layout->offset_bytes != 0 || unit_bytes != 0 || choice->addresses))
        columns |= MARGAY_COLUMN_EXTENTS;
    facts->columns &= columns;
    facts->kinds = (columns & MARGAY_COLUMN_KINDS) == 0 ? 0
                   : choice->counts[MARGAY_ROLE_KIND] > 0
                       ? MARGAY_ALL_KINDS
                       : MARGAY_READS_AND_WRITES;
    if (choice->addresses) {
        facts->numbers = MARGAY_ADDRESSES;
        facts->unit_bytes = 1;
    }
}

/* The layout of the format csv, with the usual words of operations. */
const struct margay_layout margay_layout_any = {
    .variants = {{.columns = "1"}},
    .gets = "get gets get_lease read r head hget 0 28 88 08 a8 options trace",
    .sets = "set set_lease write w put post patch add replace cas append "
            "prepend incr decr update 1 2a 8a 0a aa",
    .deletes = "delete del d remove purge unlink",
    .ticks_per_second = MARGAY_EPOCH_TICKS,
    .open = true,
};
