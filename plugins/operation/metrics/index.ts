import { definePlugin } from '#plugin-api'
import type { Counters } from './counters.ts'
import { manifest } from './manifest.ts'
import { metricsReaderGuard, metricsRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    metrics: {
      /** Loaded with the first request, as its library takes a twentieth of a start. */
      counters: Promise<Counters>
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.extensionPoint('metrics.gauges', { noun: 'figures' })
    host.service('counters', async (cradle) => {
      const { createCounters } = await import('./counters.ts')
      return createCounters(cradle)
    })
    host.guard('metrics_reader', metricsReaderGuard)
    host.routes(metricsRoutes)
    host.extend('kernel.requests', async (request, { counters }) => (await counters).noteRequest(request))
    host.on('turn.started', async (_turn, { counters }) => (await counters).noteTurnStart())
    host.on('turn.ended', async (turn, { counters }) => (await counters).noteTurnEnd(turn))
    host.on('model.called', async (call, { counters }) => (await counters).noteModelCall(call))
    host.on('tool.called', async (call, { counters }) => (await counters).noteToolCall(call))
    host.on('channel.state_changed', async (channel, { counters }) =>
      (await counters).noteChannelState(channel),
    )
    host.on('channel.refused', async (refusal, { counters }) => (await counters).noteChannelRefusal(refusal))
    host.on('account.signed_in', async (signIn, { counters }) => (await counters).noteSignIn(signIn))
  },
})
