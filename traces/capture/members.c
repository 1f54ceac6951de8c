/* members.c - the processes of a recording: see members.h */
#define _GNU_SOURCE
#include "traces/capture/members.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct margay_member {
    uint32_t process;
    bool recorded;     /* or certain to be recorded soon */
    int64_t owed;      /* programs that left less those that attached */
    uint64_t forking;  /* processes about to be made by it, and ... */
    int64_t orphan_ms; /* ... when it was found dead with some; 0 = not yet */
};

/* For so long a process may be made and not heard of, when its maker is dead.
 */
#define BIRTH_MS 2000

/* Messages about more processes than this make no sense, and are ignored. */
#define MOST_MEMBERS 65536

bool margay_process_is_dead(uint32_t process)
{
    return process == 0 || process > INT32_MAX ||
           (process < MARGAY_FIRST_FOREIGNER && kill((pid_t)process, 0) != 0 &&
            errno == ESRCH);
}

static uint64_t owed_by(const struct margay_member *member)
{
    return member->owed > 0 ? (uint64_t)member->owed : 0;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Whether anything may yet come of it. */
static bool is_over(struct margay_member *member)
{
    if (!margay_process_is_dead(member->process))
        return false;
    if (member->forking > 0 && member->orphan_ms == 0)
        member->orphan_ms = now_ms();
    return member->forking == 0 || now_ms() - member->orphan_ms >= BIRTH_MS;
}

/* Remove dead processes, and keep the sum of what they owe. */
static void forget_dead(struct margay_members *members)
{
    size_t kept = 0;
    for (size_t i = 0; i < members->count; i++) {
        if (is_over(&members->list[i]))
            members->left_out += owed_by(&members->list[i]);
        else
            members->list[kept++] = members->list[i];
    }
    members->count = kept;
}

static bool make_space(struct margay_members *members)
{
    size_t wanted = members->capacity == 0 ? 64 : 2 * members->capacity;
    if (members->count < members->capacity)
        return true;
    forget_dead(members);
    if (2 * members->count < members->capacity)
        return true;
    struct margay_member *list =
        wanted > MOST_MEMBERS
            ? NULL
            : realloc(members->list, wanted * sizeof *members->list);
    if (list == NULL)
        return members->count < members->capacity;
    members->list = list;
    members->capacity = wanted;
    return true;
}

static struct margay_member *find(struct margay_members *members,
                                  uint32_t process)
{
    for (size_t i = 0; i < members->count; i++) {
        if (members->list[i].process == process)
            return &members->list[i];
    }
    if (!make_space(members))
        return NULL;
    members->list[members->count] = (struct margay_member){.process = process};
    return &members->list[members->count++];
}

static void change(struct margay_members *members, uint32_t process, int owes,
                   bool recorded)
{
    struct margay_member *member = find(members, process);
    if (member == NULL)
        return;
    member->owed += owes;
    member->recorded = recorded;
}

/* The parent of a program may say that it started it when the program has
   attached already: then the program stays recorded. */
static void leave(struct margay_members *members,
                  const struct margay_message *message)
{
    const struct margay_member *member = find(members, message->process);
    bool came_before = member != NULL && member->owed < 0;
    change(members, message->process, 1, message->value == 1 || came_before);
}

/* `born`: the process has been made, or could not be. */
static void fork_of(struct margay_members *members, uint32_t process, bool born)
{
    struct margay_member *member = find(members, process);
    if (member != NULL && !born)
        member->forking++;
    else if (member != NULL)
        member->forking -= member->forking > 0;
}

void margay_members_hear(struct margay_members *members,
                         const struct margay_message *message)
{
    switch (message->type) {
    case MARGAY_MESSAGE_ATTACH:
    case MARGAY_MESSAGE_STAY:
        change(members, message->process, -1, true);
        return;
    case MARGAY_MESSAGE_LEAVE:
        leave(members, message);
        return;
    case MARGAY_MESSAGE_FORK:
        fork_of(members, message->process, false);
        return;
    case MARGAY_MESSAGE_BORN:
        fork_of(members, message->value, true);
        change(members, message->process, 0, true);
        return;
    default:
        return;
    }
}

bool margay_members_live(struct margay_members *members)
{
    bool live = false;
    for (size_t i = 0; i < members->count && !live; i++) {
        struct margay_member *member = &members->list[i];
        live = (member->recorded || member->forking > 0) && !is_over(member);
    }
    return live;
}

uint64_t margay_members_left_out(const struct margay_members *members)
{
    uint64_t count = members->left_out;
    for (size_t i = 0; i < members->count; i++)
        count += owed_by(&members->list[i]);
    return count;
}

void margay_members_free(struct margay_members *members)
{
    free(members->list);
    *members = (struct margay_members){.list = NULL};
}
