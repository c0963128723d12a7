import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'
import { acpErrors } from './errors.ts'

/** The manifest of the acp plugin. */
export const manifest = defineManifest({
  name: 'acp',
  summary: 'External coding agents, called over the Agent Client Protocol',
  tag: {
    name: 'External agents',
    order: 70,
    description: 'Programs that speak the Agent Client Protocol, which agents call as tools.',
  },
  depends: ['users', 'auth', 'agents', 'shell', 'workspace'],
  config: {
    /** The time that a runner may work on one call, without the time that it waits for a person. */
    max_seconds: { type: 'integer', minimum: 1, maximum: 86_400, default: 1800 },
    /** The most runners at a time in this server process; one account may have at most half of them. */
    max_processes: { type: 'integer', minimum: 1, default: 8 },
  },
  permissions: [
    {
      key: 'acp_runners',
      category: 'control',
      label: { en: 'External agents', zh: '外部智能体' },
      description: {
        en: "Let agents call external coding agents, which run programs on the server: in a sandbox if the server has one, otherwise with all permissions of the server's system user. Grant it to trusted accounts only.",
        zh: '允许智能体调用外部编程智能体，它们会在服务器上运行程序：服务器有沙箱时在沙箱中运行，否则拥有服务器系统用户的全部权限。请仅授予可信账号。',
      },
    },
  ],
  errors: acpErrors,
})

declare module '#kernel/types' {
  interface Manifests {
    acp: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
