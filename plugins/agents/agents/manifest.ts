import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'agents',
  summary: 'Agents, their runtime and their workspaces',
  tag: {
    name: 'Agents',
    order: 20,
    description:
      'Create agents, change their settings and tools, start and stop them. The path takes the id of an agent, or the name of one of your own.',
  },
  depends: ['users', 'auth', 'providers', 'signals'],
  errors: {
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
        en: 'Another operation on this agent ({operation}) is in progress.',
        zh: '该智能体的另一项操作（{operation}）正在进行。',
      },
    },
    TOOL_NOT_DISABLEABLE: {
      status: 400,
      message: { en: 'The tool "{name}" cannot be turned off.', zh: '工具“{name}”不能关闭。' },
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
  },
  limits: {
    agents: { default: 100, description: 'Agents of an account' },
  },
  events: ['agent.changed', 'agent.deleted', 'agent.unshared'],
})

declare module '#kernel/types' {
  interface Manifests {
    agents: typeof manifest
  }
}

/** The services that factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
