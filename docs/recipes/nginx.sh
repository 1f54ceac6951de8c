#!/bin/sh
# nginx.sh - what a cache of nginx misses at three sizes, and what Margay predicts
# from its access log
#
#     docs/recipes/nginx.sh [REQUESTS [PATHS]]
#
# starts a server of its own, without a network, with a cache (proxy_cache) in
# front of a file, and asks it for paths by Zipf's law.  How many keys fit into
# keys_zone limits the cache; max_size is looked at every ten seconds only.
set -eu
requests=${1:-20000} paths=${2:-3000}
margay=${MARGAY:-margay}
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill $server 2>/dev/null; wait; rm -rf "$folder"' EXIT
printf %3000s x >"$folder/body"
chmod 755 "$folder"
"$margay" generate -q zipf --refs "$requests" --blocks "$paths" \
    --exponent 0.9 --to lines -o "$folder/trace"
printf '%s, %s requests\n' "$(nginx -v 2>&1 | sed 's/.*: //')" "$requests"
printf '%8s %7s %7s %7s\n' zone keys nginx margay
for zone in 64k 128k 256k; do
    cat >"$folder/conf" <<END
worker_processes 1; daemon off; pid $folder/pid; error_log $folder/error.log;
$([ "$(id -u)" != 0 ] || echo 'user root;')
events { }
http {
    log_format status '\$remote_addr - - [\$time_local] "\$request" '
        '\$status \$body_bytes_sent \$upstream_cache_status';
    proxy_cache_path $folder/cache.$zone keys_zone=all:$zone use_temp_path=off;
    client_body_temp_path $folder/b; proxy_temp_path $folder/p;
    fastcgi_temp_path $folder/f; uwsgi_temp_path $folder/u;
    scgi_temp_path $folder/s;
    server {
        listen unix:$folder/$zone;
        access_log $folder/log.$zone status;
        keepalive_requests 1000000;
        location / {
            proxy_pass http://unix:$folder/origin.$zone:;
            proxy_cache all; proxy_cache_valid 1h;
        }
    }
    server {
        listen unix:$folder/origin.$zone;
        access_log off; root $folder;
        location / { try_files /body =404; }
    }
}
END
    nginx -c "$folder/conf" >/dev/null 2>&1 &
    server=$!
    perl -MIO::Socket::UNIX -MTime::HiRes=sleep -e '
        for (1 .. 100) {
            last if $server = IO::Socket::UNIX->new(Peer => $ARGV[0]);
            sleep 0.05;
        }
        $server // die "no server\n";
        $server->autoflush;
        while ($path = <STDIN>) {
            chomp $path;
            print $server "GET /$path HTTP/1.1\r\nHost: a\r\n\r\n";
            while (defined($line = <$server>) && $line ne "\r\n") {
                $bytes = $1 if $line =~ /^Content-Length: (\d+)/i;
            }
            read $server, $body, $bytes;
        }' "$folder/$zone" <"$folder/trace"
    kill $server
    wait $server || true
    server=
    keys=$(find "$folder/cache.$zone" -type f | wc -l)
    printf '%8s %7d %7d %7d\n' $zone "$keys" \
        "$(grep -c ' MISS$' "$folder/log.$zone")" "$("$margay" curve -q -f clf \
            --sizes "$keys" "$folder/log.$zone" | awk -F, 'END { print $6 }')"
done
