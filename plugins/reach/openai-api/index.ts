import { definePlugin } from '#plugin-api'
import { completionRoutes } from './completion-routes.ts'
import { errorForm } from './error-form.ts'
import { manifest } from './manifest.ts'
import { modelRoutes } from './model-routes.ts'
import { responseRoutes } from './response-routes.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    host.extend('kernel.error_forms', errorForm)
    host.routes(modelRoutes)
    host.routes(completionRoutes)
    host.routes(responseRoutes)
    host.job({
      name: 'openai-api.cleaning',
      every_seconds: 60,
      run: async ({ chat, threads, config }) => {
        for (const thread_id of await threads.listSurplus(config.max_threads))
          await chat.purge(await threads.hide({ _id: thread_id }))
      },
    })
  },
})
