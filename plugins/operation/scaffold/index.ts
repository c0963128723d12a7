import { defineManifest, definePlugin } from '#plugin-api'
import { newCommand } from './new-command.ts'

const manifest = defineManifest({
  name: 'scaffold',
  summary: 'Writes the folders of new plugins and kinds',
})

declare module '#kernel/types' {
  interface Manifests {
    scaffold: typeof manifest
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.command(newCommand)
  },
})
