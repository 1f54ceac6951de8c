# picture.gp - a picture of one or several tables
#
#     gnuplot -e "KIND = 'curve'" -c picture.gp OUT.png|svg|pdf|eps|tex CSV...
#
# KIND names the script of the picture, curve.gp, which stands next to this one
# and finds CSV, the array of the tables' files.  margay plot says which kind a
# table takes, and sets SHOWN, the names that people know these by, and more
# (terminal.gp).

folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
HERE = folder(ARG0)
OUT = ARG1
array CSV[ARGC - 1]
do for [i = 2:ARGC] { CSV[i - 1] = ARGV[i] }
load HERE . "text.gp"
load HERE . "terminal.gp"
load HERE . KIND . ".gp"
