import { type Blueprint, definePlugin } from '#plugin-api'
import { createDocuments, type Documents, documentCommands, documentRoutes } from './documents.ts'
import { manifest } from './manifest.ts'
import { apiPage, isServed } from './page.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    'api-docs': {
      /** Returns the blueprint with the plugins that run; the kernel provides it to built-in plugins. */
      blueprint(): Blueprint
      documents: Documents
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.service('documents', createDocuments)
    host.routes(documentRoutes)
    for (const command of documentCommands) host.command(command)
    host.pages(apiPage)
  },
  ready(cradle, announce) {
    const hint = isServed(cradle) ? '' : 'start with SVC_ENABLE_API_DOCS=1, then open '
    if (cradle.config.enabled) announce('API docs', (url) => `${hint}${url}/api/docs`)
    announce('API schema', (url) => `${url}/api/openapi.json`)
  },
})
