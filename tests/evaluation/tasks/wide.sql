-- A table of wide rows, an index, and sums by year.
create table sale(id integer primary key, part int, year int, amount int,
    note text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 480000)
insert into sale
    select i, (i * 7919) % 50021, 1990 + i % 30, (i * 31) % 500,
        zeroblob(180)
    from n;
create index by_part on sale(part);
select year, count(*), sum(amount) from sale group by year order by 3 desc limit 3;
