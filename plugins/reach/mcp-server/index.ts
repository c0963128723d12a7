import { definePlugin } from '#plugin-api'
import { manifest } from './manifest.ts'
import { createMcpServer, type McpServer } from './mcp-server.ts'
import { mcpRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    'mcp-server': { mcpServer: McpServer }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.service('mcpServer', createMcpServer)
    host.routes(mcpRoutes)
  },
})
