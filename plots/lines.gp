# lines.gp - lines, each with a name; loaded by the others
#
# They set most_lines before, add lines, and then load draw-lines.gp.  A line is
# the rows first..last (from 0) of `file`, a text in gnuplot's language that may
# end with "skip 1" or "index 2"; x and y are its columns in that language.

lines = 0
array LINE_FILE[most_lines]
array LINE_FIRST[most_lines]
array LINE_LAST[most_lines]
array LINE_X[most_lines]
array LINE_Y[most_lines]
array LINE_NAME[most_lines]
array LINE_TINT[most_lines]
array LINE_DASH[most_lines]
array LINE_WIDTH[most_lines]
array LINE_MARK[most_lines]
# A dash type as gnuplot writes it, such as "2"; mark is a point type, 0 = none.
add_line(file, first, last, x, y, name) = (lines = lines + 1, \
    LINE_FILE[lines] = file, LINE_FIRST[lines] = first, \
    LINE_LAST[lines] = last, LINE_X[lines] = x, LINE_Y[lines] = y, \
    LINE_NAME[lines] = name)
look(tint, dash, width, mark) = (LINE_TINT[lines] = tint, \
    LINE_DASH[lines] = dash, LINE_WIDTH[lines] = width, \
    LINE_MARK[lines] = mark)
