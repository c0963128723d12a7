# syntax=docker/dockerfile:1
# `docker build --build-arg COMMIT=$(git rev-parse --short=8 HEAD) .`: the image is the released package, installed.
FROM node:24-bookworm-slim AS release
ARG COMMIT
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN SVC_COMMIT=$COMMIT npm run release

FROM node:24-bookworm-slim AS package
WORKDIR /app
RUN --mount=type=bind,from=release,source=/app/release,target=/release \
  tar -xzf /release/agent-platform-service-*.tgz --strip-components=1
# The image is for a MongoDB server; the embedded engine is left out, and its licence with it.
RUN npm ci --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/@0q \
  && npm cache clean --force

FROM node:24-bookworm-slim
ENV NODE_ENV=production SVC_HOME=/data SVC_HOST=0.0.0.0
# The index of knowledge bases takes memory in threads of its own; without these, the C library keeps much of it.
ENV MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072
# Agents work with git; tini hands signals on and reaps the programs of agents.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates git tini \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node -m 700 /data \
  && ln -s /app/dist/kernel/cli/main.js /usr/local/bin/svc
WORKDIR /app
COPY --from=package /app ./
USER 1000:1000
VOLUME /data
EXPOSE 8088
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.SVC_PORT || 8088) + '/api/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "dist/kernel/cli/main.js", "serve"]
