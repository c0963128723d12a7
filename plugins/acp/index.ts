import { definePlugin } from '#kernel'
import { createAcpRunner } from './acp-runner.ts'
import { createDefinitions } from './definitions.ts'
import { manifest } from './manifest.ts'
import { acpRoutes } from './routes.ts'
import { createRunners, type Runners } from './runners.ts'
import { createRunnerRuns, type RunnerRuns } from './runs.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('acp_definitions')
    host.collection('acp_runners', {
      indexes: [{ key: { user_id: 1, name: 1 }, unique: true }, { key: { name: 1 } }],
      sealed: { env: 'acp_runner:{_id}' },
    })
    host.service('acpDefinitions', createDefinitions)
    host.service('acpRunners', createRunners)
    host.service('acpRuns', (cradle) => createRunnerRuns(cradle))
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
