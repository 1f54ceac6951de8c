/* columns.c - which columns of a table are read, and for what: see layout.h */
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/formats/layout.h"

#include <margay/traces.h>

static const char *const role_names[MARGAY_ROLES] = {
    [MARGAY_ROLE_ID] = "id",         [MARGAY_ROLE_SIZE] = "size",
    [MARGAY_ROLE_OP] = "op",         [MARGAY_ROLE_TIME] = "time",
    [MARGAY_ROLE_TTL] = "ttl",       [MARGAY_ROLE_DEVICE] = "device",
    [MARGAY_ROLE_COUNT] = "count",   [MARGAY_ROLE_REQUEST] = "request",
    [MARGAY_ROLE_TENANT] = "tenant",
};

const char *margay_role_name(unsigned role)
{
    return role_names[role];
}

/* -------------------------------------------------------------- choices -- */

/* The role whose name and an equals sign begin the text; *after stands behind
   the sign.  MARGAY_ROLES: none.  --tenant names the tenants. */
static unsigned role_of(const char *text, const char **after)
{
    for (unsigned role = 0; role < MARGAY_ROLE_TENANT; role++) {
        size_t length = strlen(role_names[role]);
        if (strncmp(text, role_names[role], length) == 0 &&
            text[length] == '=') {
            *after = text + length + 1;
            return role;
        }
    }
    return MARGAY_ROLES;
}

/* May several columns have this role? */
static bool joins(unsigned role)
{
    return role == MARGAY_ROLE_ID || role == MARGAY_ROLE_SIZE ||
           role == MARGAY_ROLE_DEVICE || role == MARGAY_ROLE_REQUEST;
}

/* A column that is named by nothing but digits, of which the first is not 0, is
   a number. */
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

static enum margay_status add(struct margay_choice *choice, unsigned role,
                              const char *name, size_t bytes,
                              struct margay_error *error)
{
    if (bytes == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--column: '%s=' without a column (expected its "
                           "name or its number, from 1 on)",
                           role_names[role]);
    if (choice->count == MARGAY_TAKES)
        return fail_count(error);
    struct margay_named_column *column = &choice->columns[choice->count++];
    column->role = (uint8_t)role;
    column->optional = choice->of_layout && bytes > 1 && name[bytes - 1] == '?';
    column->name = name;
    column->name_bytes = bytes - column->optional;
    column->number = number_of(name, column->name_bytes);
    choice->by_name |= column->number == 0;
    return MARGAY_OK;
}

/* ROLE=COLUMN[+COLUMN]...; *text ends behind it. */
static enum margay_status add_role(struct margay_choice *choice,
                                   unsigned *roles, const char **text,
                                   struct margay_error *error)
{
    const char *name;
    unsigned role = role_of(*text, &name);
    if (role == MARGAY_ROLES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--column: '%s' (expected id=, size=, op=, time=, "
                           "ttl=, device=, count= or request= and a column)",
                           *text);
    if (*roles & 1u << role)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--column: %s= twice (expected the columns of one "
                           "%s joined by +)",
                           role_names[role], role_names[role]);
    *roles |= 1u << role;
    enum margay_status status = MARGAY_OK;
    for (unsigned count = 0; status == MARGAY_OK; count++) {
        size_t bytes = strcspn(name, ",+");
        if (count > 0 && !joins(role))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--column: %s= of several columns (expected "
                               "one)",
                               role_names[role]);
        status = add(choice, role, name, bytes, error);
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
        return add(choice, MARGAY_ROLE_ID, text, strlen(text), error);
    for (;;) {
        status = add_role(choice, &roles, &text, error);
        if (status != MARGAY_OK || *text == '\0')
            break;
        text++;
    }
    if (status == MARGAY_OK && (roles & 1u << MARGAY_ROLE_ID) == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--column: no id= (expected the column that names "
                           "the object)");
    return status;
}

/* The columns of devices are those of tenants, too. */
static enum margay_status share_devices(struct margay_choice *choice,
                                        struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (unsigned i = 0, count = choice->count;
         i < count && status == MARGAY_OK; i++) {
        struct margay_named_column column = choice->columns[i];
        column.role = MARGAY_ROLE_TENANT;
        if (choice->columns[i].role != MARGAY_ROLE_DEVICE)
            continue;
        if (choice->count == MARGAY_TAKES)
            return fail_count(error);
        choice->columns[choice->count++] = column;
    }
    return status;
}

/* A layout need not have the column of tenants to be known by its first row. */
static enum margay_status add_tenant(struct margay_choice *choice,
                                     const char *tenant,
                                     struct margay_error *error)
{
    bool by_name = choice->by_name;
    unsigned count = choice->count;
    enum margay_status status = MARGAY_OK;
    if (strcmp(tenant, "device") == 0)
        status = share_devices(choice, error);
    if (status == MARGAY_OK && choice->count == count) {
        status = add(choice, MARGAY_ROLE_TENANT, tenant, strlen(tenant), error);
        if (status == MARGAY_OK && choice->of_layout) {
            choice->by_name = by_name;
            choice->columns[count].optional = true;
        }
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

/* ---------------------------------------------------------------- plans -- */

static int by_column(const void *a, const void *b)
{
    uint64_t first = ((const struct margay_take *)a)->column;
    uint64_t second = ((const struct margay_take *)b)->column;
    return (first > second) - (first < second);
}

/* The index in the plan of a column with a role. */
static uint8_t take_of(const struct margay_plan *plan, unsigned role,
                       uint64_t column)
{
    uint8_t i = 0;
    while (plan->takes[i].role != role || plan->takes[i].column != column)
        i++;
    return i;
}

static uint64_t column_of(const struct margay_choice *choice,
                          const uint64_t *numbers, unsigned i)
{
    return choice->columns[i].number != 0 ? choice->columns[i].number
                                          : numbers[i];
}

void margay_plan_columns(const struct margay_choice *choice,
                         const uint64_t *numbers, struct margay_plan *plan)
{
    *plan = (struct margay_plan){.count = 0};
    for (unsigned i = 0; i < choice->count; i++) {
        uint64_t column = column_of(choice, numbers, i);
        if (column != 0)
            plan->takes[plan->count++] = (struct margay_take){
                column, choice->columns[i].role, choice->columns[i].optional};
    }
    qsort(plan->takes, plan->count, sizeof *plan->takes, by_column);
    for (unsigned i = 0; i < choice->count; i++) {
        unsigned role = choice->columns[i].role;
        uint64_t column = column_of(choice, numbers, i);
        if (column != 0)
            plan->of_role[role][plan->role_counts[role]++] =
                take_of(plan, role, column);
    }
}

unsigned margay_plan_facts(const struct margay_plan *plan,
                           const struct margay_layout *layout,
                           uint64_t unit_bytes)
{
    unsigned columns = 0;
    bool extents = layout->offset_bytes != 0 || unit_bytes != 0;
    if (plan->role_counts[MARGAY_ROLE_SIZE] > 0)
        columns |= MARGAY_COLUMN_SIZES |
                   (extents ? (unsigned)MARGAY_COLUMN_EXTENTS : 0);
    if (plan->role_counts[MARGAY_ROLE_OP] > 0)
        columns |= MARGAY_COLUMN_KINDS | (unsigned)MARGAY_COLUMN_OPS;
    if (plan->role_counts[MARGAY_ROLE_TIME] > 0)
        columns |= MARGAY_COLUMN_TIMES;
    if (plan->role_counts[MARGAY_ROLE_TTL] > 0)
        columns |= MARGAY_COLUMN_TTLS;
    if (plan->role_counts[MARGAY_ROLE_REQUEST] > 0)
        columns |= MARGAY_COLUMN_REQUESTS;
    if (plan->role_counts[MARGAY_ROLE_TENANT] > 0)
        columns |= MARGAY_COLUMN_TENANTS;
    return columns;
}
