import type { ErrorTable } from '#kernel'

/** The errors of this plugin, which clients receive as results of tools. */
export const mcpErrors = {
  MCP_REQUEST_REPEATED: {
    status: 409,
    message: {
      en: 'A request with this id has already been sent in this session.',
      zh: '此会话中已发送过相同 id 的请求。',
    },
  },
} satisfies ErrorTable
