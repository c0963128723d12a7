import { definePlugin } from '#plugin-api'
import { createExecute } from './execute.ts'
import { manifest } from './manifest.ts'
import { createProcesses, type Processes } from './processes.ts'
import { createPrograms, type Programs } from './programs.ts'
import { createPython, type Python } from './python.ts'
import { createRunPython } from './run-python.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

declare module '#kernel/types' {
  interface Services {
    shell: {
      processes: Processes
    }
  }
  interface PrivateServices {
    shell: {
      programs: Programs
      python: Python
      sandbox: Sandbox
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.service('programs', (cradle) => createPrograms(cradle))
    host.provide('processes', createProcesses)
    host.service('python', (cradle) => createPython(cradle))
    host.service('sandbox', (cradle) => createSandbox(cradle))
    host.check('sandbox', ({ sandbox }) => sandbox.describe())
    for (const create of [createExecute, createRunPython])
      host.extend(
        'agents.tools',
        create(() => host.cradle),
      )
  },
  async start({ config, log, sandbox }) {
    if (config.sandbox !== 'required') return
    await sandbox.describe().catch((error) => log.error({ error }, 'programs of agents are refused'))
  },
  async warm({ sandbox, python }) {
    await sandbox.describe()
    await python.isUsable()
  },
  stop: ({ programs }) => programs.close(),
})
