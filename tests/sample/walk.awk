# walk.awk - three working sets, one after the other
function walk(entries, times,    i, sum) {
    while (times-- > 0)
        for (i = 0; i < entries; i++)
            sum += table[i]
    return sum
}

BEGIN {
    for (i = 0; i < 2000; i++)
        table[i] = i
    print walk(100, 60) + walk(600, 10) + walk(2000, 2)
}
