import { join } from 'node:path'
import { definePlugin, describeLeftFolders } from '#plugin-api'
import { createAcpRunner } from './acp-runner.ts'
import { createDefinitions, type Definitions } from './definitions.ts'
import { manifest } from './manifest.ts'
import { acpRoutes } from './routes.ts'
import { createRunners, type Runners } from './runners.ts'
import { createRunnerRuns, type RunnerRuns } from './runs.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    acp: {
      acpDefinitions: Definitions
      acpRunners: Runners
      acpRuns: RunnerRuns
    }
  }
}

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
    host.extend('users.removal', async ({ user_id }, { acpRunners, acpRuns }) => {
      await acpRunners.forgetUser(user_id)
      await acpRuns.forgetUser(user_id)
    })
    host.job({
      name: 'acp-removed-folders',
      every_seconds: 600,
      run: ({ acpRuns }, signal) => acpRuns.removeLeftFolders(signal),
    })
    host.check('removed homes', ({ server }) => describeLeftFolders(join(server.home, 'acp')))
    host.extend(
      'agents.tools',
      createAcpRunner(() => ({ runners: host.cradle.acpRunners, runs: host.cradle.acpRuns })),
    )
  },
  stop: ({ acpRuns }) => acpRuns.close(),
})
