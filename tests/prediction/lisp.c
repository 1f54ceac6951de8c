/*
 * lisp.c - an interpreter of a little Lisp, and a program for it
 *
 * Expressions are walked as they were read; variables are looked up in lists;
 * unused cells are marked and swept.  The program puts random numbers into a
 * search tree, whose path is copied every time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/prediction/touch.h"

/* A number, a symbol, a primitive, or a cell; 0 is the empty list. */
typedef uint64_t value;

enum { CELL, NUMBER, SYMBOL, PRIMITIVE };

#define TAG(v)       ((v)&3)
#define MAKE(tag, n) ((uint64_t)(n) << 2 | (tag))
#define NUMBER_OF(v) ((uint64_t)(v) >> 2)

/* Symbols are single letters. */
#define LETTERS 128

struct cell {
    value head, tail;
};

#define HEAD(v) AT(cells[NUMBER_OF(v)].head)
#define TAIL(v) AT(cells[NUMBER_OF(v)].tail)

static struct cell *cells;
static uint8_t *marks;
static uint64_t cell_count, cells_used;
static value spare; /* cells to be had, joined by their tails */
static value *globals;
static value *stack; /* what evaluation has in hand */
static uint64_t stack_height;
#define STACK_VALUES 100000

static const char program_text[] =
    /* i: insert the key k into the tree t, (key left . right) */
    "(\\ (t k) (? (0 t) (: k (: () ()))"
    " (? (< k (a t)) (: (a t) (: (i (a (d t)) k) (d (d t))))"
    " (: (a t) (: (a (d t)) (i (d (d t)) k))))))"
    /* f: insert n random keys */
    "(\\ (t n) (? (< n 1) t (f (i t (r)) (- n 1))))";

/* --------------------------------------------------------------- memory -- */

static void mark(value v)
{
    while (TAG(v) == CELL && v != 0 && AT(marks[NUMBER_OF(v)]) == 0) {
        AT(marks[NUMBER_OF(v)]) = 1;
        mark(HEAD(v));
        v = TAIL(v);
    }
}

static void collect(value head, value tail)
{
    mark(head);
    mark(tail);
    for (unsigned i = 0; i < LETTERS; i++)
        mark(AT(globals[i]));
    for (uint64_t i = 0; i < stack_height; i++)
        mark(AT(stack[i]));
    for (uint64_t i = 1; i < cell_count; i++) {
        if (AT(marks[i]) == 0) {
            AT(cells[i].tail) = spare;
            spare = MAKE(CELL, i);
        }
        AT(marks[i]) = 0;
    }
    if (spare == 0) {
        fprintf(stderr, "lisp: out of cells\n");
        exit(2);
    }
}

static value cons(value head, value tail)
{
    value cell = MAKE(CELL, cells_used);
    if (cells_used < cell_count) {
        cells_used++;
    } else {
        if (spare == 0)
            collect(head, tail);
        cell = spare;
        spare = TAIL(cell);
    }
    HEAD(cell) = head;
    TAIL(cell) = tail;
    return cell;
}

static void push(value v)
{
    if (stack_height == STACK_VALUES) {
        fprintf(stderr, "lisp: too deep\n");
        exit(2);
    }
    AT(stack[stack_height++]) = v;
}

/* -------------------------------------------------------------- reading -- */

static value read_value(const char **text)
{
    while (**text == ' ')
        ++*text;
    char letter = *(*text)++;
    if (letter >= '1' && letter <= '9')
        return MAKE(NUMBER, letter - '0');
    if (letter != '(')
        return MAKE(SYMBOL, letter);
    value items[16], list = 0;
    unsigned count = 0;
    while (**text != ')') {
        items[count++] = read_value(text);
        while (**text == ' ')
            ++*text;
    }
    ++*text;
    while (count > 0)
        list = cons(items[--count], list);
    return list;
}

/* ----------------------------------------------------------- evaluation -- */

static value look_up(value symbol, value environment)
{
    for (; environment != 0; environment = TAIL(environment)) {
        value pair = HEAD(environment);
        if (HEAD(pair) == symbol)
            return TAIL(pair);
    }
    return AT(globals[NUMBER_OF(symbol)]);
}

static value truth(int holds)
{
    return holds ? MAKE(NUMBER, 1) : 0;
}

static value apply(char primitive, value arguments)
{
    value first = arguments == 0 ? 0 : HEAD(arguments);
    value rest = arguments == 0 ? 0 : TAIL(arguments);
    value second = rest == 0 ? 0 : HEAD(rest);
    switch (primitive) {
    case 'a':
        return HEAD(first);
    case 'd':
        return TAIL(first);
    case ':':
        return cons(first, second);
    case '0':
        return truth(first == 0);
    case '<':
        return truth(first < second);
    case '-':
        return MAKE(NUMBER, NUMBER_OF(first) - NUMBER_OF(second));
    default:
        return MAKE(NUMBER, draw(UINT64_C(1) << 40));
    }
}

static value evaluate(value expression, value environment);

static value evaluate_all(value list, value environment)
{
    if (list == 0)
        return 0;
    push(evaluate(HEAD(list), environment));
    value rest = evaluate_all(TAIL(list), environment);
    stack_height--;
    return cons(AT(stack[stack_height]), rest);
}

/* The arguments by the names of the function's parameters. */
static value bind(value names, value arguments, value environment)
{
    for (; names != 0; names = TAIL(names)) {
        push(environment);
        push(arguments);
        value pair = cons(HEAD(names), HEAD(arguments));
        environment = cons(pair, environment);
        arguments = TAIL(arguments);
        stack_height -= 2;
    }
    return environment;
}

static value evaluate(value expression, value environment)
{
    for (;;) {
        if (TAG(expression) == SYMBOL)
            return look_up(expression, environment);
        if (TAG(expression) != CELL || expression == 0)
            return expression;
        value function = HEAD(expression), arguments = TAIL(expression);
        if (function == MAKE(SYMBOL, '?')) {
            push(environment);
            value condition = evaluate(HEAD(arguments), environment);
            stack_height--;
            arguments = TAIL(arguments);
            expression = HEAD(condition == 0 ? TAIL(arguments) : arguments);
            continue;
        }
        push(environment);
        function = evaluate(function, environment);
        arguments = evaluate_all(arguments, environment);
        stack_height--;
        if (TAG(function) == PRIMITIVE)
            return apply((char)NUMBER_OF(function), arguments);
        /* (\ names body); a function sees its own names and the globals. */
        value names = TAIL(function);
        environment = bind(HEAD(names), arguments, 0);
        expression = HEAD(TAIL(names));
    }
}

void run_lisp(uint64_t size)
{
    cell_count = 16 * size + 1000;
    cells_used = 1;
    cells = make_room(cell_count, sizeof *cells);
    marks = make_room(cell_count, sizeof *marks);
    globals = make_room(LETTERS, sizeof *globals);
    stack = make_room(STACK_VALUES, sizeof *stack);
    for (const char *name = "ad:0<-r"; *name != '\0'; name++)
        globals[(unsigned char)*name] = MAKE(PRIMITIVE, *name);
    const char *text = program_text;
    globals['i'] = read_value(&text);
    globals['f'] = read_value(&text);
    value call = cons(MAKE(NUMBER, size), 0);
    evaluate(cons(MAKE(SYMBOL, 'f'), cons(0, call)), 0);
}
