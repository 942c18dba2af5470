# Built with the Swift standard library linked in, so that the runtime image holds only Debian's C libraries.
FROM swift:6.3-bookworm AS build
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends \
        make pkg-config libevent-dev libcurl4-openssl-dev libc-ares-dev libxxhash-dev libssl-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY Package.swift Makefile ./
COPY Sources Sources
COPY Tests Tests
RUN make build && strip --output-file=/imagestore "$(swift build -c release --show-bin-path)/imagestore"

FROM debian:bookworm-slim
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends \
        ca-certificates libevent-2.1-7 libevent-core-2.1-7 libcurl4 libc-ares2 libxxhash0 libssl3 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin imagestore \
    && install -d -o imagestore -g imagestore -m 700 /var/cache/imagestore
COPY --from=build /imagestore /usr/local/bin/imagestore

USER imagestore
ENV IMAGESTORE_DISK_CACHE_PATH=/var/cache/imagestore
VOLUME /var/cache/imagestore
EXPOSE 8080
STOPSIGNAL SIGTERM

# The admin listener stays on the container's loopback; bash speaks enough TCP to ask it, so no client is installed.
HEALTHCHECK --interval=10s --timeout=3s --start-period=2s CMD ["bash", "-c", \
    "exec 3<>/dev/tcp/127.0.0.1/8081 && printf 'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && grep -q '^HTTP/1.1 200' <&3"]

ENTRYPOINT ["imagestore"]
CMD ["serve"]
