FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:20-bookworm-slim
ENV NODE_ENV=production SVC_HOME=/data SVC_HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/kernel/http/docs ./kernel/http/docs
COPY --from=build /app/plugins/experts/catalog ./plugins/experts/catalog
COPY --from=build /app/plugins/personas/profiles ./plugins/personas/profiles
COPY --from=build /app/plugins/scaffold/templates ./plugins/scaffold/templates
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8088
HEALTHCHECK CMD node -e "fetch('http://127.0.0.1:8088/api/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"
CMD ["node", "dist/kernel/cli/main.js", "serve"]
