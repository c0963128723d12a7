import { plugin } from '#kernel'
import { createExecute } from './execute.ts'
import { type Processes, processes } from './processes.ts'
import { createPrograms, type Programs, type ShellConfig } from './programs.ts'

declare module '#kernel/types' {
  interface Services {
    programs: Programs
    processes: Processes
  }
}

export default plugin({
  name: 'shell',
  summary: 'The tool with which agents run programs on the server',
  config: {
    max_seconds: { type: 'integer', minimum: 1, maximum: 86_400, default: 600 },
    max_processes: { type: 'integer', minimum: 1, default: 8 },
  },
  permissions: [
    {
      key: 'execute',
      category: 'control',
      label: { en: 'Run programs', zh: '运行程序' },
      description: {
        en: "Have agents run programs on the server, with the rights of the server's system user. Grant it to trusted accounts only.",
        zh: '允许智能体在服务器上运行程序，程序拥有服务器系统用户的全部权限。请仅授予可信账号。',
      },
    },
  ],
  setup(host) {
    // A tool is declared before there are services; they come when the server starts.
    let programs: Programs
    host.service('programs', ({ config }) => createPrograms(config as ShellConfig))
    host.service('processes', () => processes)
    host.on('server.starting', (_, cradle) => {
      programs = cradle.programs
    })
    host.tool(createExecute(() => programs))
  },
  stop: ({ programs }) => programs.close(),
})
