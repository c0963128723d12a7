import { definePlugin } from '#plugin-api'
import { manifest } from './manifest.ts'
import { createPolisher, type Polisher } from './polisher.ts'
import { polishRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    polish: {
      polisher: Polisher
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.service('polisher', (cradle) => createPolisher(cradle))
    host.routes(polishRoutes)
  },
})
