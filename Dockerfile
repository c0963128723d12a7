# syntax=docker/dockerfile:1
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The image is for a MongoDB server; the embedded engine is left out, and its licence with it.
RUN npm ci --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/@0q \
  && npm cache clean --force

FROM node:24-bookworm-slim
ENV NODE_ENV=production SVC_HOME=/data SVC_HOST=0.0.0.0
WORKDIR /app
# Agents work with git; tini hands signals on and reaps the programs of agents.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates git tini \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node -m 700 /data \
  && ln -s /app/dist/kernel/cli/main.js /usr/local/bin/svc
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/package.json ./
COPY --from=build /app/kernel/http/docs ./kernel/http/docs
COPY --from=build /app/plugins/experts/catalog ./plugins/experts/catalog
COPY --from=build /app/plugins/personas/profiles ./plugins/personas/profiles
COPY --from=build /app/plugins/scaffold/templates ./plugins/scaffold/templates
COPY --from=build /app/dist/client ./dist/client
COPY --from=build /app/dist/kernel ./dist/kernel
COPY --from=build /app/dist/plugin-api ./dist/plugin-api
COPY --from=build /app/dist/plugins ./dist/plugins
COPY --from=build /app/dist/channels ./dist/channels
COPY --from=build /app/dist/providers ./dist/providers
USER 1000:1000
VOLUME /data
EXPOSE 8088
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.SVC_PORT || 8088) + '/api/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "dist/kernel/cli/main.js", "serve"]
