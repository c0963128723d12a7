import { defineManifest, definePlugin } from '#plugin-api'
import { rotateCommand } from './rotate-command.ts'

const manifest = defineManifest({
  name: 'secrets',
  summary: 'Replaces the key that encrypts stored secrets',
})

declare module '#kernel/types' {
  interface Manifests {
    secrets: typeof manifest
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.command(rotateCommand)
  },
})
