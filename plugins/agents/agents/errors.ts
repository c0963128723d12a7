import type { ErrorTable } from '#kernel'

/** The errors of agents. */
export const agentErrors = {
  AGENT_NOT_FOUND: {
    status: 404,
    message: { en: 'The agent does not exist.', zh: '找不到该智能体。' },
  },
  AGENT_NAME_TAKEN: {
    status: 409,
    message: {
      en: 'The account already has an agent named "{name}".',
      zh: '该账号已有名为“{name}”的智能体。',
    },
  },
  AGENT_BUSY: {
    status: 409,
    message: {
      en: 'Another operation of this agent ({operation}) is in progress.',
      zh: '该智能体的另一项操作（{operation}）正在进行。',
    },
  },
  TOOL_NOT_DISABLEABLE: {
    status: 400,
    message: { en: 'The tool "{name}" always stays on.', zh: '工具“{name}”始终开启，不能停用。' },
  },
  AGENT_NOT_RUNNING: {
    status: 409,
    message: { en: 'The agent is not running. Start it first.', zh: '该智能体未在运行，请先启动。' },
  },
  CONNECTOR_NOT_FOUND: {
    status: 404,
    message: { en: 'The connector “{id}” does not exist.', zh: '连接器“{id}”不存在。' },
  },
  KNOWLEDGE_BASE_NOT_FOUND: {
    status: 404,
    message: { en: 'The knowledge base does not exist.', zh: '找不到该知识库。' },
  },
} satisfies ErrorTable
