import { definePlugin } from '#plugin-api'
import { createAskAgent } from './ask-agent.ts'
import { manifest } from './manifest.ts'
import { askUserQuestion, task, writeTodos } from './tools.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    const askAgent = createAskAgent(() => host.cradle)
    for (const tool of [writeTodos, task, askUserQuestion, askAgent]) host.extend('agents.tools', tool)
  },
})
