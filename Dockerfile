# syntax=docker/dockerfile:1
# docker build --build-arg COMMIT=$(git rev-parse --short=8 HEAD) .
# The image is the released package, installed. For several platforms, add --platform linux/amd64,linux/arm64; to fix the
# base, --build-arg BASE=node:24-bookworm-slim@sha256:…
ARG BASE=node:24-bookworm-slim

# The release is the same for all platforms, so it is built on that of the builder.
FROM --platform=$BUILDPLATFORM ${BASE} AS release
ARG COMMIT
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN SVC_COMMIT=$COMMIT npm run release

FROM ${BASE} AS package
WORKDIR /app
RUN --mount=type=bind,from=release,source=/app/release,target=/release \
  tar -xzf /release/agent-platform-service-*.tgz --strip-components=1
# The image is for a MongoDB server; the embedded engine is left out, and its licence with it.
RUN npm ci --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/@0q \
  && npm cache clean --force

FROM ${BASE}
ARG COMMIT
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Agent Platform Service" \
  org.opencontainers.image.description="A self-hosted server where several people run LLM-backed agents" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.documentation="file:///app/docs/operators.md" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${COMMIT}"
ENV NODE_ENV=production SVC_HOME=/data SVC_HOST=0.0.0.0
# Without a sandbox that works, agents run no programs, unless the operator sets this to `off`.
ENV SVC_SANDBOX=required
# The index of knowledge bases takes memory in threads of its own; without these, the C library keeps much of it.
ENV MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072
# Fewer collections of garbage: a turn costs the server a fifth less.
ENV NODE_OPTIONS=--max-semi-space-size=32
# Agents work with git; bubblewrap is the sandbox of their programs; tini hands signals on and reaps those programs.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates git tini \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node -m 700 /data /backups \
  && ln -s /app/dist/kernel/cli/main.js /usr/local/bin/svc
WORKDIR /app
COPY --from=package /app ./
USER 1000:1000
VOLUME /data
EXPOSE 8088
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --start-interval=2s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.SVC_PORT || 8088) + '/api/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["svc", "serve"]
