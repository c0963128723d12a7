import { defineConnectorKind, objectOf } from '#plugin-api'
import { callSettings, callTimeOf, secretTexts } from './mcp.ts'

/** Programs of the machine that speak the protocol on their standard input and output. */
export const mcpStdio = defineConnectorKind({
  kind: 'mcp_stdio',
  label: { en: 'MCP program', zh: 'MCP 程序' },
  description: { en: 'A program that runs on the server.', zh: '在服务器上运行的程序。' },
  auth: 'none',
  admin_only: true,
  config_schema: objectOf(
    {
      command: {
        type: 'string',
        minLength: 1,
        maxLength: 1024,
        pattern: '^[^\\x00]*$',
        description: 'A program of the PATH, or an absolute path',
        examples: ['npx'],
      },
      args: {
        type: 'array',
        items: { type: 'string', maxLength: 8192, pattern: '^[^\\x00]*$' },
        maxItems: 256,
        examples: [['-y', '@modelcontextprotocol/server-filesystem', '/srv/notes']],
      },
      env: { ...secretTexts, description: 'Environment variables of the program' },
      ...callSettings,
    },
    ['command'],
  ),
  target: ({ command, args = [], env = {}, ...times }) => ({
    transport: 'stdio',
    command,
    args,
    env,
    ...callTimeOf(times),
  }),
})
