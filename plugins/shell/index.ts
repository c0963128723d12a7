import { type Cradle, plugin } from '#kernel'
import { createExecute } from './execute.ts'
import { createProcesses, type Processes } from './processes.ts'
import { createPrograms, type Programs } from './programs.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import type { ShellConfig } from './types.ts'

declare module '#kernel/types' {
  interface Services {
    programs: Programs
    processes: Processes
    sandbox: Sandbox
  }
}

export default plugin({
  name: 'shell',
  summary: 'The tool with which agents run programs on the server',
  config: {
    max_seconds: { type: 'integer', minimum: 1, maximum: 86_400, default: 600 },
    max_processes: { type: 'integer', minimum: 1, default: 8 },
    sandbox: { enum: ['auto', 'required', 'off'], default: 'auto' },
    sandbox_folders: { type: 'array', items: { type: 'string', pattern: '^/' }, default: [] },
  },
  permissions: [
    {
      key: 'execute',
      category: 'control',
      label: { en: 'Run programs', zh: '运行程序' },
      description: {
        en: "Have agents run programs on the server: in a sandbox if the server has one, otherwise with all rights of the server's system user. Grant it to trusted accounts only.",
        zh: '允许智能体在服务器上运行程序：服务器有沙箱时在沙箱中运行，否则拥有服务器系统用户的全部权限。请仅授予可信账号。',
      },
    },
  ],
  setup(host) {
    // A tool is declared before there are services; they come when the server starts.
    let services: { programs: Programs; processes: Processes }
    host.service('programs', (cradle) => createPrograms(cradle as Cradle<ShellConfig>))
    host.service('processes', createProcesses)
    host.service('sandbox', (cradle) => createSandbox(cradle as Cradle<ShellConfig>))
    host.check('sandbox', ({ sandbox }) => sandbox.describe())
    host.on('server.starting', (_, { programs, processes }) => {
      services = { programs, processes }
    })
    host.extend(
      'agents.tools',
      createExecute(() => services),
    )
  },
  async start({ config, sandbox }) {
    if ((config as ShellConfig).sandbox === 'required') await sandbox.describe()
  },
  stop: ({ programs }) => programs.close(),
})
