import { type Cradle, plugin } from '#kernel'
import { createAcpRunner } from './acp-runner.ts'
import { createDefinitions } from './definitions.ts'
import { acpErrors } from './errors.ts'
import { acpRoutes } from './routes.ts'
import { createRunners, type Runners } from './runners.ts'
import { createRunnerRuns, type RunnerRuns } from './runs.ts'
import type { AcpConfig } from './types.ts'

export default plugin({
  name: 'acp',
  summary: 'External coding agents, called by the Agent Client Protocol',
  depends: ['users', 'auth', 'agents', 'shell', 'workspace'],
  config: {
    max_seconds: { type: 'integer', minimum: 1, maximum: 86_400, default: 1800 },
    max_processes: { type: 'integer', minimum: 1, default: 8 },
  },
  permissions: [
    {
      key: 'acp_runners',
      category: 'control',
      label: { en: 'External agents', zh: '外部智能体' },
      description: {
        en: "Have agents call external coding agents, which run programs on the server: in a sandbox if the server has one, otherwise with all rights of the server's system user. Grant it to trusted accounts only.",
        zh: '允许智能体调用外部编程智能体，它们会在服务器上运行程序：服务器有沙箱时在沙箱中运行，否则拥有服务器系统用户的全部权限。请仅授予可信账号。',
      },
    },
  ],
  errors: acpErrors,
  setup(host) {
    host.collection('acp_definitions')
    host.collection('acp_runners', {
      indexes: [{ key: { user_id: 1, name: 1 }, unique: true }, { key: { name: 1 } }],
      sealed: { env: 'acp_runner:{_id}' },
    })
    host.service('acpDefinitions', createDefinitions)
    host.service('acpRunners', createRunners)
    host.service('acpRuns', (cradle) => createRunnerRuns(cradle as Cradle<AcpConfig>))
    host.routes(acpRoutes)
    host.on('user.deleted', async ({ user_id }, { acpRunners, acpRuns }) => {
      await acpRunners.forgetUser(user_id)
      await acpRuns.forgetUser(user_id)
    })
    // A tool is declared before there are services; they come when the server starts.
    let services: { runners: Runners; runs: RunnerRuns }
    host.on('server.starting', (_, { acpRunners: runners, acpRuns: runs }) => {
      services = { runners, runs }
    })
    host.extend(
      'agents.tools',
      createAcpRunner(() => services),
    )
  },
  stop: ({ acpRuns }) => acpRuns.close(),
})
