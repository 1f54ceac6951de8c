# A surface with hidden lines, and a smoothed curve through points.
set terminal svg
set output '/dev/null'
set samples 400
set isosamples 80
set hidden3d
set pm3d
splot sin(x) * cos(y) * exp(-(x * x + y * y) / 40)
plot 'points.dat' smooth csplines, 'points.dat' with points
