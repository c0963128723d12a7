import { defineManifest, definePlugin } from '#kernel'
import { doctorCommand } from './doctor-command.ts'

const manifest = defineManifest({
  name: 'doctor',
  summary: 'Checks what the server needs to start',
})

declare module '#kernel/types' {
  interface Manifests {
    doctor: typeof manifest
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.command(doctorCommand)
  },
})
