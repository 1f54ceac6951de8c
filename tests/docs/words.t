#!/bin/sh
# words.t - pages use plain words, and describe the machine of measurements once
. tests/sim/lib.sh

cd "$root" || exit 1
pages="$(echo ./*.md docs/*/*.md docs/man/*.[13] docs/man/*.mdoc)"

# Say who or how many; an indefinite word makes the reader guess.
vague='nobody|somebody|anybody|whoever|whatever|wherever|so many|in vain|what there is'
echo 'A page that nobody reads.' >"$work/vague.md"
check 'a vague word is found' grep -qwiE "$vague" "$work/vague.md"
for page in $pages; do
    is "$page says who and how many" "$(grep -nwiE "$vague" "$page")" ''
done

is 'one page describes the machine' \
    "$(grep -l 'AMD EPYC' docs/*/*.md)" docs/measured/README.md
finish
