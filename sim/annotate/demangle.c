/*
 * demangle.c - names of C++ as they stand in the source
 *
 * Source: "Itanium C++ ABI", section 3.4, defines the function that both
 *   libraries of C++ have.
 */
#define _GNU_SOURCE
#include "sim/annotate/demangle.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangle_function(const char *name, char *buffer, size_t *bytes,
                                int *status);

bool demangle(const char *name, char *text, size_t bytes)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    static demangle_function *function; /* NULL = no library of C++ has it */
    static bool looked;
    int status = -1;
    if (strncmp(name, "_Z", 2) != 0)
        return false;
    for (size_t i = 0; !looked && i < 2 && function == NULL; i++) {
        void *library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
        if (library != NULL)
            *(void **)&function = dlsym(library, "__cxa_demangle");
    }
    looked = true;
    char *made = function == NULL ? NULL : function(name, NULL, NULL, &status);
    if (made != NULL)
        snprintf(text, bytes, "%s", made);
    free(made);
    return made != NULL;
}
