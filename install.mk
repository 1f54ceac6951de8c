# install.mk - what goes where: install, uninstall, dist
#
# DESTDIR goes before everything and into nothing; no directory has a blank in
# its name.  The command finds the plot scripts in ../share/margay from where
# it lies, so $(datadir) is to be next to $(bindir), or MARGAY_PLOTS be set.
DESTDIR    ?=
PREFIX     ?= /usr/local
prefix     ?= $(PREFIX)
bindir     ?= $(prefix)/bin
libdir     ?= $(prefix)/lib
includedir ?= $(prefix)/include
datadir    ?= $(prefix)/share
mandir     ?= $(datadir)/man
docdir     ?= $(datadir)/doc/margay
bashdir    ?= $(datadir)/bash-completion/completions
zshdir     ?= $(datadir)/zsh/site-functions
INSTALL    ?= install

# Rows of mode, directory, files.  The examples lie where the pages link to
# them, too.
define install_ROWS
755 $(bindir) $(BUILD)/margay $(mpi_PROGRAM)
644 $(libdir) $(BUILD)/libmargay.a $(shared_LIBRARY)
644 $(libdir)/margay $(runtime_FILES)
644 $(libdir)/margay $(llvm_PLUGIN)
755 $(libdir)/margay/valgrind $(valgrind_PROGRAMS)
644 $(libdir)/margay/valgrind $(valgrind_LIBRARY)
644 $(libdir)/margay/no-tsan $(BUILD)/no-tsan/libtsan.a
644 $(libdir)/pkgconfig $(BUILD)/margay.pc
644 $(includedir)/margay $(public_HEADERS)
644 $(mandir)/man1 $(filter %.1,$(man_PAGES))
644 $(mandir)/man3 $(filter %.3,$(man_PAGES))
644 $(datadir)/margay $(wildcard plots/*.gp)
644 $(datadir)/margay/machines $(wildcard sim/machines/*.csv)
644 $(bashdir) $(filter %/margay,$(completion_FILES))
644 $(zshdir) $(filter %/_margay,$(completion_FILES))
644 $(docdir) README.md NEWS.md CONTRIBUTING.md LICENSE
644 $(docdir)/docs $(wildcard docs/*.c docs/*.py)
644 $(docdir)/docs/using $(wildcard docs/using/*.md docs/using/*.ipynb)
644 $(docdir)/docs/inside $(wildcard docs/inside/*.md)
644 $(docdir)/docs/measured $(wildcard docs/measured/*.md)
644 $(docdir)/docs/measured/pictures $(wildcard docs/measured/pictures/*)
644 $(docdir)/docs/measured/tables $(wildcard docs/measured/tables/*)
644 $(docdir)/docs/pictures $(wildcard docs/pictures/*)
644 $(docdir)/examples $(wildcard docs/*.c docs/*.py docs/recipes/*)
endef
install uninstall: export rows = $(install_ROWS)

# The names under which a linker and the dynamic linker look for it.
shared_NAMES = libmargay.so libmargay.so.$(SOVERSION)

# The dynamic linker looks into a cache of what lies in its directories.
tell_LINKER = [ '$(DESTDIR)' ] || [ "$$(id -u)" != 0 ] || $(LDCONFIG) || \
    echo '$(LDCONFIG) failed: programs may not find libmargay.so' >&2
LDCONFIG   ?= ldconfig

install: all $(BUILD)/margay.pc ## install below PREFIX (/usr/local), in DESTDIR
	@set -e; printf '%s\n' "$$rows" | \
	while read -r mode directory files; do \
	    [ "$$files" ] || continue; \
	    $(INSTALL) -d '$(DESTDIR)'"$$directory"; \
	    $(INSTALL) -m "$$mode" $$files '$(DESTDIR)'"$$directory"; \
	done
	@for name in $(shared_NAMES); do \
	    ln -sf $(notdir $(shared_LIBRARY)) '$(DESTDIR)$(libdir)'/$$name || \
	        exit; \
	done
	@$(tell_LINKER)

# Directories of ours go too, the inner ones first; shared ones stay.
uninstall: ## remove what install installed
	@printf '%s\n' "$$rows" | sort -r -k 2 | \
	while read -r mode directory files; do \
	    for file in $$files; do \
	        rm -f '$(DESTDIR)'"$$directory/$${file##*/}"; \
	    done; \
	    case $$directory/ in */margay/*) \
	        rmdir '$(DESTDIR)'"$$directory" 2>/dev/null || : ;; \
	    esac; \
	done
	@rm -f $(shared_NAMES:%='$(DESTDIR)$(libdir)'/%)

$(BUILD)/margay.pc: margay.pc.in FORCE
	@mkdir -p $(@D)
	@sed -e 's|@prefix@|$(prefix)|' -e 's|@libs@|$(library_LIBS)|' \
	    -e 's|@version@|$(VERSION)|' \
	    -e 's|@libdir@|$(patsubst $(prefix)/%,$${prefix}/%,$(libdir))|' \
	    -e 's|@includedir@|$(patsubst $(prefix)/%,$${prefix}/%,\
	        $(includedir))|' $< >$@

# bash looks for a file of the command's name, zsh for one after _.
# The command writes them.  For another machine, one is also built for this
# machine, unless completion_PROGRAM names one.
completion_PROGRAM ?= $(BUILD)$(if $(is_CROSS),/host)/margay
completion_FILES = $(BUILD)/completion/margay $(BUILD)/completion/_margay
all: $(completion_FILES)
$(BUILD)/completion/margay: completion_SHELL = bash
$(BUILD)/completion/_margay: completion_SHELL = zsh
$(completion_FILES): $(completion_PROGRAM)
	@mkdir -p $(@D)
	@$(completion_PROGRAM) help --completion $(completion_SHELL) >$@

ifeq ($(completion_PROGRAM),$(BUILD)/host/margay)
$(completion_PROGRAM): $(BUILD)/margay
	+@$(MAKE) --no-print-directory BUILD='$(BUILD)/host' CC='$(HOSTCC)' \
	    CFLAGS= CPPFLAGS= LDFLAGS= LIBS= SANITIZE= AR=ar DEPS=no $@
endif

# The commit as it stands, the same bytes on every machine.
XZ ?= xz -9
dist: ## pack the last commit: margay-VERSION.tar.xz
	@git rev-parse -q --verify HEAD >/dev/null || \
	    { echo 'make dist packs a commit: there is no repository here' >&2; \
	    exit 1; }
	@mkdir -p $(BUILD)
	@git -c tar.umask=0022 archive --format=tar \
	    --prefix=margay-$(VERSION)/ HEAD >$(BUILD)/margay-$(VERSION).tar
	@$(XZ) -T 1 -f $(BUILD)/margay-$(VERSION).tar
	@echo $(BUILD)/margay-$(VERSION).tar.xz

.PHONY: install uninstall dist
