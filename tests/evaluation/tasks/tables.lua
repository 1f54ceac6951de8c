-- Sort, fill tables, multiply matrices, place queens.
local state = 42
local function random(n)
  state = (state * 1103515245 + 12345) % 2147483648
  return state % n
end

local numbers = {}
for i = 1, 40000 do numbers[i] = random(1000000) end
table.sort(numbers)

local count = {}
for i = 1, 120000 do
  local key = "k" .. numbers[i % 40000 + 1] % 5000
  count[key] = (count[key] or 0) + i
end

local size, matrix = 130, {}
for i = 1, size do
  matrix[i] = {}
  for j = 1, size do matrix[i][j] = (i * j) % 7 + 0.5 end
end
local sum = 0
for i = 1, size do
  for j = 1, size do
    local product = 0
    for k = 1, size do product = product + matrix[i][k] * matrix[k][j] end
    sum = sum + product
  end
end

local columns, up, down = {}, {}, {}
local function place(row)
  if row == 0 then return 1 end
  local ways = 0
  for x = 1, 8 do
    if not (columns[x] or up[x + row] or down[x - row]) then
      columns[x], up[x + row], down[x - row] = true, true, true
      ways = ways + place(row - 1)
      columns[x], up[x + row], down[x - row] = nil, nil, nil
    end
  end
  return ways
end
print(sum, place(8))
