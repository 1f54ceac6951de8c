/*
 * instrument.c - the program's code, with stores of its references between
 *
 * Algorithm: a piece of code begins with one question, whether the buffer has
 *   room for all words that the piece may store.  Each reference is then a
 *   store at a place known beforehand, relative to the cursor, which moves only
 *   where the piece may be left.
 *
 * Guarantee: a reference is stored after it is made, so one that faults is not
 *   stored.  Words stored by a piece that a fault ends are found again, as
 *   unused words are zero (margay_cursor_catch_up()).
 *
 * Cost: two loads, an addition and a comparison for each piece; an operation
 *   and a store for each reference, and no call.
 */

#include <pub_tool_libcassert.h>
#include <pub_tool_machine.h>

#include <margay/traces.h>

#include "traces/capture/runtime/images.h"
#include "traces/capture/stream.h"
#include "traces/capture/valgrind/tool.h"

/* A question of room is asked again after this many words.  The words of one
   statement fit into the rest of a cursor's room. */
#define MOST_WORDS (MARGAY_CURSOR_WORDS / 2)

/* The code that is being made. */
struct making {
    IRSB *code;
    const struct margay_wishes *wishes;
    IRTemp base;         /* the cursor before `words`; INVALID: no piece */
    IRConst *room_bytes; /* for which the piece asks */
    unsigned room;       /* the same so far, in words */
    unsigned words;      /* stored from `base` on, */
    unsigned counted;    /* of these by the cursor */

    uint64_t instruction; /* the address of the current one, */
    uint64_t site;        /* and the one that the words are of; 0 = unknown */
    const IRExpr *loaded; /* the address that it has read last */
};

/* -------------------------------------------------------- expressions -- */

static IRExpr *number(uint64_t value)
{
    return IRExpr_Const(IRConst_U64(value));
}

static void add(struct making *making, IRStmt *statement)
{
    addStmtToIRSB(making->code, statement);
}

/* An expression with a name. */
static IRTemp name(struct making *making, IRType type, IRExpr *value)
{
    IRTemp name = newIRTemp(making->code->tyenv, type);
    add(making, IRStmt_WrTmp(name, value));
    return name;
}

static IRExpr *named(struct making *making, IRExpr *value)
{
    return IRExpr_RdTmp(name(making, Ity_I64, value));
}

static IRExpr *load(uint64_t **from)
{
    return IRExpr_Load(Iend_LE, Ity_I64, number((uintptr_t)from));
}

static IRExpr *choose(struct making *making, IRExpr *guard, IRExpr *yes,
                      IRExpr *no)
{
    return named(making, IRExpr_ITE(guard, yes, no));
}

/* ------------------------------------------------------------- pieces -- */

/* Ask for room, which is known when the piece ends. */
static void begin_piece(struct making *making)
{
    IRExpr *next = named(making, load(&margay_cursor.next));
    IRExpr *end = named(making, load(&margay_cursor.end));
    making->room_bytes = IRConst_U64(0);
    IRExpr *after =
        named(making,
              IRExpr_Binop(Iop_Add64, next, IRExpr_Const(making->room_bytes)));
    IRDirty *refill = unsafeIRDirty_0_N(
        0, "margay_cursor_refill",
        VG_(fnptr_to_fnentry)((void *)margay_cursor_refill), mkIRExprVec_0());
    refill->guard = IRExpr_RdTmp(
        name(making, Ity_I1, IRExpr_Binop(Iop_CmpLT64U, end, after)));
    add(making, IRStmt_Dirty(refill));
    making->base = name(making, Ity_I64, load(&margay_cursor.next));
    making->room = making->words = making->counted = 0;
}

/* The place of the next word. */
static IRExpr *place(struct making *making)
{
    IRExpr *base = IRExpr_RdTmp(making->base);
    return making->words == 0
               ? base
               : named(making, IRExpr_Binop(Iop_Add64, base,
                                            number(8 * making->words)));
}

/* Here the code may be left: the cursor moves past the words. */
static void count(struct making *making)
{
    if (making->base == IRTemp_INVALID || making->counted == making->words)
        return;
    add(making, IRStmt_Store(Iend_LE, number((uintptr_t)&margay_cursor.next),
                             place(making)));
    making->counted = making->words;
}

static void end_piece(struct making *making)
{
    count(making);
    if (making->base != IRTemp_INVALID)
        making->room_bytes->Ico.U64 = 8 * making->room;
    making->base = IRTemp_INVALID;
}

/* Store a word; with a guard that may be false, the word is zero then, and its
   place stays the next one. */
static void store(struct making *making, IRExpr *word, IRExpr *guard)
{
    if (making->base != IRTemp_INVALID && making->room >= MOST_WORDS)
        end_piece(making);
    if (making->base == IRTemp_INVALID)
        begin_piece(making);
    making->room++;
    if (guard == NULL) {
        add(making, IRStmt_Store(Iend_LE, place(making), word));
        making->words++;
        return;
    }
    IRExpr *here = place(making);
    add(making,
        IRStmt_Store(Iend_LE, here, choose(making, guard, word, number(0))));
    IRExpr *after = named(making, IRExpr_Binop(Iop_Add64, here, number(8)));
    making->base = choose(making, guard, after, here)->Iex.RdTmp.tmp;
    making->words = 0;
    making->counted = MARGAY_CURSOR_WORDS; /* the cursor is elsewhere */
}

/* --------------------------------------------------------- references -- */

static void store_site(struct making *making)
{
    static const struct margay_image *image;
    if (!making->wishes->sites || making->site == making->instruction)
        return;
    making->site = making->instruction;
    if (image == NULL || making->site - image->from >= image->to - image->from)
        image = margay_images_find(making->site);
    store(making,
          number(margay_control_word(MARGAY_CONTROL_SITE,
                                     making->site + image->shift)),
          NULL);
}

static IRExpr *word_of(struct making *making, IRExpr *address, unsigned kind,
                       unsigned bytes)
{
    if (address->tag == Iex_Const)
        return number(
            margay_word(address->Iex.Const.con->Ico.U64, kind, bytes));
    return named(making, IRExpr_Binop(Iop_Or64, address,
                                      number(margay_word(0, kind, bytes))));
}

/* An access of any length, as references of 64 bytes and a shorter one. */
static void store_access(struct making *making, IRExpr *address, unsigned kind,
                         Int bytes, IRExpr *guard)
{
    store_site(making);
    for (Int done = 0; done < bytes; done += MARGAY_WORD_MAX_BYTES) {
        Int some = bytes - done < MARGAY_WORD_MAX_BYTES ? bytes - done
                                                        : MARGAY_WORD_MAX_BYTES;
        IRExpr *from = address;
        if (done > 0)
            from =
                named(making, IRExpr_Binop(Iop_Add64, address, number(done)));
        store(making, word_of(making, from, kind, (unsigned)some), guard);
    }
}

static void store_read(struct making *making, IRExpr *address, Int bytes,
                       IRExpr *guard)
{
    store_access(making, address, MARGAY_READ, bytes, guard);
    making->loaded = address;
}

static void store_write(struct making *making, IRExpr *address, Int bytes,
                        IRExpr *guard)
{
    store_access(making, address, MARGAY_WRITE, bytes, guard);
}

/* --------------------------------------------------------- statements -- */

static Int bytes_of(const struct making *making, const IRExpr *value)
{
    return sizeofIRType(typeOfIRExpr(making->code->tyenv, value));
}

/* A processor's atomic instruction is one read and one write, whether or not a
   comparison fails.  Valgrind makes a read of it that comes first where the new
   value depends on the old one. */
static void put_exchange(struct making *making, const IRCAS *cas)
{
    Int bytes = bytes_of(making, cas->dataLo) * (cas->dataHi == NULL ? 1 : 2);
    if (making->loaded == NULL || !eqIRAtom(making->loaded, cas->addr))
        store_read(making, cas->addr, bytes, NULL);
    store_write(making, cas->addr, bytes, NULL);
}

static void put_helper(struct making *making, const IRDirty *call)
{
    IRExpr *guard = call->guard;
    if (guard->tag == Iex_Const && guard->Iex.Const.con->Ico.U1)
        guard = NULL;
    if (call->mFx == Ifx_Read || call->mFx == Ifx_Modify)
        store_read(making, call->mAddr, call->mSize, guard);
    if (call->mFx == Ifx_Write || call->mFx == Ifx_Modify)
        store_write(making, call->mAddr, call->mSize, guard);
}

static void put_instruction(struct making *making, Addr address, UInt bytes)
{
    making->instruction = address;
    making->loaded = NULL;
    if (!making->wishes->fetches || bytes == 0)
        return;
    store_site(making);
    store(making, number(margay_word(address, MARGAY_FETCH, bytes)), NULL);
}

/* A load that a store may follow, or that store. */
static void put_linked(struct making *making, const IRStmt *statement)
{
    IRExpr *address = statement->Ist.LLSC.addr;
    const IRExpr *stored = statement->Ist.LLSC.storedata;
    IRTemp result = statement->Ist.LLSC.result;
    if (stored == NULL)
        store_read(making, address,
                   sizeofIRType(typeOfIRTemp(making->code->tyenv, result)),
                   NULL);
    else
        store_write(making, address, bytes_of(making, stored), NULL);
}

/* The references of a statement that has just been added. */
static void put_references(struct making *making, const IRStmt *statement)
{
    switch (statement->tag) {
    case Ist_IMark:
        put_instruction(making, statement->Ist.IMark.addr,
                        statement->Ist.IMark.len);
        return;
    case Ist_WrTmp: {
        const IRExpr *value = statement->Ist.WrTmp.data;
        if (value->tag == Iex_Load)
            store_read(making, value->Iex.Load.addr,
                       sizeofIRType(value->Iex.Load.ty), NULL);
        return;
    }
    case Ist_Store:
        store_write(making, statement->Ist.Store.addr,
                    bytes_of(making, statement->Ist.Store.data), NULL);
        return;
    case Ist_StoreG: {
        const IRStoreG *store = statement->Ist.StoreG.details;
        store_write(making, store->addr, bytes_of(making, store->data),
                    store->guard);
        return;
    }
    case Ist_LoadG: {
        const IRLoadG *load = statement->Ist.LoadG.details;
        IRType type, wide;
        typeOfIRLoadGOp(load->cvt, &wide, &type);
        store_read(making, load->addr, sizeofIRType(type), load->guard);
        return;
    }
    case Ist_CAS:
        put_exchange(making, statement->Ist.CAS.details);
        return;
    case Ist_LLSC:
        put_linked(making, statement);
        return;
    case Ist_Dirty:
        put_helper(making, statement->Ist.Dirty.details);
        return;
    default:
        return;
    }
}

IRSB *margay_instrument(IRSB *code, const struct margay_wishes *wishes)
{
    struct making making = {.code = deepCopyIRSBExceptStmts(code),
                            .wishes = wishes,
                            .base = IRTemp_INVALID};
    for (Int i = 0; i < code->stmts_used; i++) {
        IRStmt *statement = code->stmts[i];
        if (statement == NULL || statement->tag == Ist_NoOp)
            continue;
        if (statement->tag == Ist_Exit)
            count(&making);
        add(&making, statement);
        put_references(&making, statement);
    }
    end_piece(&making);
    return making.code;
}
