# layouts.sh - a small trace t.NAME in each layout of a table; after lib.sh

echo '1,hm,1,Write,8192,4096,100' >t.msr
echo '419,W,8192,4096,1577808000000046' >t.alibaba
echo '1538323200,16,8,0,3' >t.tencent
printf 'block_id,io_offset,io_size,op_name\n1,0,8,1\n' >t.meta-block
echo '9 4892 kjournald 16 8 W 6 0 3a1f' >t.fiu
echo '9000000,1,9,4096,0,default,2,7,1,0,5' >t.rocksdb
echo '0,k,2,213,4,get,0' >t.twitter
printf 'key,op,size,op_count,key_size\n7,GET,5,1,2\n' >t.meta-kv
printf 'timestamp,cacheKey,OpType,objectSize\n1,5,1,100\n' >t.meta-cdn
printf '5\t83\tjpeg\t9665\t0.1\n' >t.wiki
echo '7 0 68' >t.webcachesim
echo '1999 REST.PUT.OBJECT 12 1056' >t.ibm-cos
