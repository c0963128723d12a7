import { definePlugin } from '#kernel'
import { type Counters, createCounters } from './counters.ts'
import { createExposition, type Exposition } from './exposition.ts'
import { metricsReaderGuard } from './guard.ts'
import { manifest } from './manifest.ts'
import { metricsRoutes } from './routes.ts'
import './types.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    metrics: {
      counters: Counters
      exposition: Exposition
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.extensionPoint('metrics.gauges', { noun: 'figures' })
    host.service('counters', createCounters)
    host.service('exposition', createExposition)
    host.guard('metrics_reader', metricsReaderGuard)
    host.routes(metricsRoutes)
    host.extend('kernel.requests', (request, { counters }) => counters.noteRequest(request))
    host.on('turn.started', (_turn, { counters }) => counters.noteTurnStart())
    host.on('turn.ended', (turn, { counters }) => counters.noteTurnEnd(turn))
    host.on('model.called', (call, { counters }) => counters.noteModelCall(call))
    host.on('tool.called', (call, { counters }) => counters.noteToolCall(call))
    host.on('channel.state_changed', (channel, { counters }) => counters.noteChannelState(channel))
    host.on('account.signed_in', (signIn, { counters }) => counters.noteSignIn(signIn))
  },
})
