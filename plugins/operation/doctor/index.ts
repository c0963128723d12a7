import { defineManifest, definePlugin } from '#plugin-api'
import { configCommand } from './config-command.ts'
import { doctorCommand } from './doctor-command.ts'

const manifest = defineManifest({
  name: 'doctor',
  summary: 'Checks that the server can start, and shows its settings',
})

declare module '#kernel/types' {
  interface Manifests {
    doctor: typeof manifest
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.command(configCommand)
    host.command(doctorCommand)
  },
})
