import { definePlugin } from '#plugin-api'
import { createGenerateImage } from './generate-image.ts'
import { manifest } from './manifest.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    host.extend(
      'agents.tools',
      createGenerateImage(() => host.cradle),
    )
  },
})
