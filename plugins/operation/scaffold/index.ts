import { defineManifest, definePlugin } from '#plugin-api'
import { checkCommand } from './check-command.ts'
import { newCommand } from './new-command.ts'
import { pluginsCommand } from './plugins-command.ts'

const manifest = defineManifest({
  name: 'scaffold',
  summary: 'Lists plugins, with commands for their authors',
})

declare module '#kernel/types' {
  interface Manifests {
    scaffold: typeof manifest
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    for (const command of [pluginsCommand, newCommand, checkCommand]) host.command(command)
  },
})
