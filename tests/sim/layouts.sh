# layouts.sh - a small trace t.NAME in each layout that is known, but for those
# whose columns the user names; after lib.sh

echo '1,hm,1,Write,8192,4096,100' >t.msr
echo '419,W,8192,4096,1577808000000046' >t.alibaba
echo '1538323200,16,8,0,3' >t.tencent
printf 'block_id,io_offset,io_size,op_name\n1,0,8,1\n' >t.meta-block
echo '9 4892 kjournald 16 8 W 6 0 3a1f' >t.fiu
printf 'TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n0.2 sh 7 xvda1 W 16 4096 0.7\n' >t.biosnoop
echo '9000000,1,9,4096,0,default,2,7,1,0,5' >t.rocksdb
echo '0,k,2,213,4,get,0' >t.twitter
printf 'key,op,size,op_count,key_size\n7,GET,5,1,2\n' >t.meta-kv
printf 'timestamp,cacheKey,OpType,objectSize\n1,5,1,100\n' >t.meta-cdn
printf '5\t83\tjpeg\t9665\t0.1\n' >t.wiki
echo '7 0 68' >t.webcachesim
echo '1999 REST.PUT.OBJECT 12 1056' >t.ibm-cos
printf '"time_micros","cs_method","sc_status","cs_bytes","sc_bytes","cs_bucket","cs_object"\n"1548000000000000","GET","200","0","5","b","o"\n' >t.gcs
echo 'h - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 23' >t.clf
cat >t.haproxy <<'END'
Feb  6 12:14:14 localhost haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "GET /index.html HTTP/1.1"
END
echo '1157689324.156   1372 10.105.21.199 TCP_MISS/200 399 GET http://a/b - DIRECT/67.72.78.50 text/html' >t.squid
cat >t.elb <<'END'
http 2018-07-02T22:23:00.186641Z app/lb/50dc 10.0.0.1:2817 10.0.0.2:80 0.000 0.001 0.000 200 200 34 366 "GET http://a:80/ HTTP/1.1" "curl/7.46.0" - -
END
cat >t.s3 <<'END'
79a5 bucket [06/Feb/2019:00:00:38 +0000] 192.0.2.3 79a5 3E57 REST.GET.OBJECT a/b "GET /bucket/a/b HTTP/1.1" 200 - 113 4406583 7 - "-" "S3Console/0.4" -
79a5 bucket [06/Feb/2019:00:00:39 +0000] 192.0.2.3 79a5 3E58 REST.GET.VERSIONING - "GET /bucket?versioning HTTP/1.1" 200 - 113 - 7 - "-" "S3Console/0.4" -
END
if "$MARGAY" version | grep -q '^left out:.*yajl'; then
    no_json='caddy|cloudflare|envoy'
else
    no_json=none
    echo '{"level":"info","ts":1646861401.5,"request":{"method":"GET","host":"h","uri":"/a"},"size":7,"status":200}' >t.caddy
    echo '{"ClientRequestHost":"h","ClientRequestMethod":"GET","ClientRequestURI":"/a","EdgeResponseBytes":9,"EdgeStartTimestamp":"2019-01-01T00:00:00Z"}' >t.cloudflare
    echo '{"authority":"h","bytes_sent":"615","method":"GET","path":"/a","response_code":"200","start_time":"2026-02-24T10:30:45.123Z"}' >t.envoy
fi
printf '#Fields: date time cs-method cs-uri-stem sc-bytes\n1999-01-01 07:00:00 GET / 5\n' >t.w3c
echo 'ts=1.2 gid=1 type=item_get key=a status=found clsid=0 cfd=3 size=7' >t.memcached
